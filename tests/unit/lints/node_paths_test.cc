// Where findings say that they stand in their object.

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "check/check.h"
#include "driver/session/all_checks.h"
#include "tree/yaml_reader.h"

using namespace trainyard;

TEST_CASE("the paths of many findings are those of few") {
  std::string text =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
      "spec:\n  containers:\n    - name: a\n      image: a:1\n      env:\n";
  for (int i = 0; i < 30; ++i) text += "        - {name: \"a=" + std::to_string(i) + "\"}\n";
  SourceMap sources;
  Sink sink;
  const FileId id = sources.add("pod.yaml", text);
  const std::vector<Tree> documents = read_yaml(sources, id, sink);
  REQUIRE(documents.size() == 1);
  const Inventory around;
  CheckInputs surroundings{};
  surroundings.checks = all_checks();
  surroundings.inventory = &around;
  for (int again = 0; again < 2; ++again) {  // of another object each
    Sink found;
    CheckContext context(surroundings, found);
    run_checks(View(documents[0], documents[0].root()), {}, {}, context);
    REQUIRE(found.all().size() == 30);
    for (std::size_t i = 0; i < 30; ++i) {
      CHECK(found.all()[i].path == "spec.containers[0].env[" + std::to_string(i) + "].name");
    }
  }
}
