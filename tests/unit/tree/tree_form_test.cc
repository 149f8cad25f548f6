// Trees of the same form differ in the texts of scalars and in nothing else.
#include "tree/tree_form.h"

#include <catch2/catch_test_macros.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tree/yaml_reader.h"

using namespace trainyard;

namespace {

Tree read(std::string_view text) {
  static SourceMap sources;
  Sink sink;
  std::vector<Tree> trees = read_yaml(sources, sources.add("a.yaml", std::string(text)), sink, {});
  REQUIRE(trees.size() == 1);
  return std::move(trees.front());
}

/// The texts in which the second differs from the first; `-` when it has another form.
std::string difference(std::string_view first, std::string_view second) {
  const TreeForm form(read(first));
  const Tree other = read(second);
  NodeBits open;
  if (!form.fits(other, open)) return "-";
  CHECK(TreeForm::look_of(read(first)) == TreeForm::look_of(other));
  std::string texts;
  open.each([&](NodeId id) { texts += other[id].is_scalar() ? std::string(other[id].text) : "."; });
  return texts;
}

}  // namespace

TEST_CASE("other texts of scalars are told, with what they are in") {
  CHECK(difference("{a: x, b: [y, z]}", "{a: x, b: [y, z]}").empty());
  CHECK(difference("{a: x, b: [y, z]}", "{a: v, b: [y, z]}") == ".v");
  CHECK(difference("{a: x, b: [y, z]}", "{a: x, b: [y, w]}") == "..w");
  CHECK(difference("{a: 1}", "{a: 2}") == ".2");
  CHECK(difference("{a: xy}", "{a: \"\"}") == ".");
}

TEST_CASE("trees with other keys, kinds, order or numbers of nodes have another form") {
  CHECK(difference("{a: x}", "{b: x}") == "-");
  CHECK(difference("{a: x}", "{a: 1}") == "-");
  CHECK(difference("{a: x}", "{a: [x]}") == "-");
  CHECK(difference("{a: x, b: y}", "{b: y, a: x}") == "-");
  CHECK(difference("{a: [x, y]}", "{a: [x, y, z]}") == "-");
  CHECK(difference("{a: [x, [y]]}", "{a: [x, y]}") == "-");
}
