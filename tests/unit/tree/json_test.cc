#include "tree/json.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>
#include <string>

using namespace trainyard;

namespace {

std::string json(const Tree& tree, NodeId root, int indent = 0) {
  std::string out;
  write_json(tree, root, out, indent);
  return out;
}

}  // namespace

TEST_CASE("JSON keeps the order of entries and the text of numbers") {
  Tree tree;
  const NodeId root = tree.add_map();
  const NodeId list = tree.add_seq();
  tree.append(root, "b", list);
  tree.append(list, tree.add(Kind::Int, "18446744073709551616"));
  tree.append(list, tree.add(Kind::Int, "0x10"));
  tree.append(list, tree.add(Kind::Float, ".5"));
  tree.append(list, tree.add(Kind::Float, ".inf"));
  tree.append(list, tree.add(Kind::Float, ".NaN"));
  tree.append(list, tree.add(Kind::Null));
  tree.append(list, tree.add_bool(false));
  tree.append(root, "a", tree.add_map());
  CHECK(json(tree, root) ==
        "{\"b\":[18446744073709551616,16,0.5,\".inf\",\".nan\",null,false],\"a\":{}}");
}

TEST_CASE("with an indent there is a line for each value") {
  Tree tree;
  const NodeId root = tree.add_map();
  const NodeId list = tree.add_seq();
  tree.append(list, tree.add_int(1));
  tree.append(root, "a", list);
  tree.append(root, "b", tree.add_seq());
  CHECK(json(tree, root, 2) == "{\n  \"a\": [\n    1\n  ],\n  \"b\": []\n}");
}

TEST_CASE("whatever a string holds, a JSON reader gets it back") {
  Tree tree;
  std::string text;
  for (char c = 0; c < 0x7F; ++c) text += c;
  text += "\x7F\xC2\x85\xC3\xBC\xE2\x80\xA8\xE2\x80\xAE\xF0\x9F\x9A\x82";
  const NodeId root = tree.add_map();
  tree.append(root, text, tree.add_string(text));
  const auto read = nlohmann::json::parse(json(tree, root));
  CHECK(read.at(text).get<std::string>() == text);
}

TEST_CASE("bytes that are not UTF-8 become replacement characters") {
  Tree tree;
  CHECK(json(tree, tree.add_string("a\xFF")) == "\"a\\ufffd\"");
}
