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

TEST_CASE("of very many diagnostics the first ones are kept and the others are counted") {
  Sink sink;
  for (std::uint32_t i = 0; i < Sink::kMost + 5; ++i) {
    sink.report(DiagnosticKind::UnknownField, Span{0, i, i + 1}, "a").note("chained");
  }
  CHECK(sink.error_count() == Sink::kMost + 5);
  CHECK(sink.all().size() == Sink::kMost);
  const auto sorted = sink.sorted();
  REQUIRE(sorted.size() == Sink::kMost + 1);
  CHECK(sorted.back().kind == DiagnosticKind::LeftOut);
  CHECK(sorted.back().message == "5 more problems were found and left out");
  CHECK(sorted[Sink::kMost - 1].span.begin == Sink::kMost - 1);
  sink.clear();
  CHECK(sink.sorted().empty());
}
