#include "golden/coverage.h"

#include <catch2/catch_test_macros.hpp>

using namespace trainyard::golden;

TEST_CASE("names of kinds are found in brackets") {
  CHECK(bracketed("a:1:2: error: x [0] in `a[b]` [no-input]\n[[x-1] [] [A] [y z] [open") ==
        Names{"0", "b", "no-input", "x-1"});
}

TEST_CASE("a kind is shown or excused, never both and never neither") {
  const Names kinds = {"a-kind", "b-kind"};
  CHECK(check_coverage(kinds, {"a-kind", "b-kind", "0"}, "# text\n").empty());
  CHECK(check_coverage(kinds, {"a-kind"}, "- `b-kind`: needs a full disk\n").empty());
  CHECK(check_coverage(kinds, {"a-kind"}, "") ==
        "b-kind: no golden case shows it; add one, or a reason to UNCOVERED.md\n");
  CHECK(check_coverage(kinds, {"a-kind", "b-kind"}, "- `b-kind`: r") ==
        "b-kind: UNCOVERED.md lists it, but a golden case shows it\n");
  CHECK(check_coverage(kinds, {"a-kind", "b-kind"}, "- `c-kind`: r\n") ==
        "c-kind: UNCOVERED.md lists it, but there is no such kind\n");
  CHECK(check_coverage(kinds, {"a-kind"}, "- `b-kind`: \n") ==
        "b-kind: UNCOVERED.md gives no reason\n");
  CHECK(check_coverage(kinds, {"a-kind"}, "- `b-kind") == "b-kind: UNCOVERED.md gives no reason\n");
}
