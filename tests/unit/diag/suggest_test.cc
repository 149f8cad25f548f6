#include "diag/suggest.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

using namespace trainyard;

namespace {

std::string nearest(std::string_view typo, const std::vector<std::string_view>& candidates) {
  return std::string(suggest(typo, candidates).value_or("(nothing)"));
}

}  // namespace

TEST_CASE("a typo means the candidate with the fewest edits, the first of several") {
  CHECK(nearest("nodse", {"name", "nodes"}) == "nodes");
  CHECK(nearest("gpu-per-node", {"gpusPerNode", "nodes"}) == "gpusPerNode");
  CHECK(nearest("bat", {"cat", "hat"}) == "cat");
  CHECK(nearest("framework", {"image", "nodes"}) == "(nothing)");
  CHECK(nearest("", {"image"}) == "(nothing)");
}

TEST_CASE("a name that is cut short means the longer one, when there is one only") {
  CHECK(nearest("gpus", {"gpu", "gpusPerNode"}) == "gpusPerNode");
  CHECK(nearest("node", {"nodes", "nodeSelector", "nodeAffinity"}) == "nodes");
  CHECK(nearest("retry", {"retryOn"}) == "(nothing)");
}

TEST_CASE("a word of one or two letters means nothing else, unless they are swapped") {
  CHECK(nearest("e", {"a", "env"}) == "(nothing)");
  CHECK(nearest("xy", {"xz", "y"}) == "(nothing)");
  CHECK(nearest("ds", {"sd"}) == "sd");
  CHECK(nearest("CP", {"cp"}) == "cp");
}

TEST_CASE("a word of hostile length means nothing") {
  CHECK(nearest(std::string(100'000, 'a'), {std::string_view("aaa")}) == "(nothing)");
}
