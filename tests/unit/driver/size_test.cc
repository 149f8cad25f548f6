// A job that no API server would store is refused before any work is spent on it.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "unit/driver/compiler.h"

using namespace trainyard;
using namespace trainyard::testing;

TEST_CASE("a job of too many values is one error") {
  std::string spec =
      "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\nmetadata: {name: a}\n"
      "spec:\n  image: i:1\n  run: {command: [x]}\n  env:\n";
  for (int i = 0; i < 10'000; ++i) spec += "    K" + std::to_string(i) + ": v\n";
  const Built built = build_files({{"a.yaml", spec}}, {"a.yaml"});
  CHECK(built.text.empty());
  REQUIRE(built.reports.size() == 1);
  CHECK(built.reports[0].kind == DiagnosticKind::TooManyNodes);
}
