#include "diag/sink.h"

#include <catch2/catch_test_macros.hpp>
#include <set>
#include <string>

using namespace trainyard;

TEST_CASE("kind names are kebab-case and unique, and sentences end in a full stop") {
  std::set<std::string_view> names;
  for (const KindInfo& kind : all_kinds()) {
    INFO(kind.identifier);
    CHECK(names.insert(kind.name).second);
    CHECK(kind.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") ==
          std::string::npos);
    CHECK(kind.sentence.ends_with('.'));
  }
}

TEST_CASE("diagnostics come out by file and position, repeats once, whatever order they came in") {
  Sink sink;
  sink.report(DiagnosticKind::UnknownField, Span{1, 5, 6}, "c");
  sink.report(DiagnosticKind::UnknownField, Span{0, 9, 10}, "b");
  sink.report(DiagnosticKind::UnknownField, Span{0, 2, 3}, "a");
  sink.report(DiagnosticKind::UnknownField, Span{0, 9, 10}, "b");
  const auto sorted = sink.sorted();
  REQUIRE(sorted.size() == 3);
  CHECK(sorted[0].message == "a");
  CHECK(sorted[1].message == "b");
  CHECK(sorted[2].message == "c");
  CHECK(sink.error_count() == 4);
}
