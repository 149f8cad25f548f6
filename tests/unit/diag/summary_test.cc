#include "diag/summary.h"

#include <catch2/catch_test_macros.hpp>

using namespace trainyard;

namespace {

std::string of(int errors, int warnings, int notes) {
  std::vector<Diagnostic> list;
  const auto add = [&](int count, Severity severity) {
    for (int i = 0; i < count; ++i) {
      list.emplace_back(DiagnosticKind::NoInput, Span{}, "m").severity = severity;
    }
  };
  add(errors, Severity::Error);
  add(warnings, Severity::Warning);
  add(notes, Severity::Note);
  return summary(list);
}

}  // namespace

TEST_CASE("the summary counts errors and warnings in words") {
  CHECK(of(2, 1, 5) == "2 errors and 1 warning");
  CHECK(of(1, 0, 0) == "1 error");
  CHECK(of(0, 2, 0) == "2 warnings");
  CHECK(of(0, 0, 3).empty());
}
