#include "schema/json_text.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "unit/schema/yaml_text.h"

using namespace trainyard;
using trainyard::testing::tree_of;

TEST_CASE("JSON text reads back as the same value") {
  Tree tree;
  const NodeId root = tree.add_map();
  tree.append(root, "text", tree.add_string("a\"b\\c\n\t\x01\x1f\x7f \xc3\xa9 \xe2\x80\xa8"));
  tree.append(root, "big", tree.add(Kind::Int, "123456789012345678901234567890"));
  tree.append(root, "float", tree.add(Kind::Float, "1.50"));
  tree.append(root, "no", tree.add_bool(false));
  tree.append(root, "null", tree.add(Kind::Null));
  tree.append(root, "empty", tree.add_seq());
  const NodeId list = tree.add_seq();
  for (int i = 0; i < 100; ++i) tree.append(list, tree.add_int(i));
  tree.append(root, "list", list);
  tree.set_root(root);
  std::string line;
  std::string lines;
  append_json(tree, root, line);
  append_json_lines(tree, root, lines);
  CHECK(line.find('\n') == std::string::npos);
  CHECK(nlohmann::json::parse(line) == nlohmann::json::parse(lines));
  CHECK(nlohmann::json::parse(line)["text"] == "a\"b\\c\n\t\x01\x1f\x7f \xc3\xa9 \xe2\x80\xa8");
  CHECK(line.find("123456789012345678901234567890") != std::string::npos);
}

TEST_CASE("a value that fits stays on its line") {
  const Tree tree = tree_of("{a: {b: [1, 2], c: x}, d: " + std::string(200, 'y') + "}");
  std::string out;
  append_json_lines(tree, tree.root(), out);
  CHECK(out == "{\n \"a\": {\"b\": [1, 2], \"c\": \"x\"},\n \"d\": \"" + std::string(200, 'y') +
                   "\"\n}\n");
}
