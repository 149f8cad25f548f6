#include "tree/tree.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

using namespace trainyard;

namespace {

std::string keys(const Tree& tree, NodeId map) {
  std::string result;
  for (NodeId child : tree.children(map)) result += std::string(tree[child].key) + ' ';
  return result;
}

}  // namespace

TEST_CASE("entries keep their order through replace, remove and reorder") {
  Tree tree;
  const NodeId map = tree.add_map();
  const NodeId a = tree.add_int(1);
  const NodeId b = tree.add_int(2);
  const NodeId c = tree.add_int(3);
  tree.append(map, "a", a);
  tree.append(map, "b", b);
  tree.append(map, "c", c);

  const NodeId other = tree.add_string("x");
  tree.replace(map, b, other);
  CHECK(keys(tree, map) == "a b c ");
  CHECK(tree[tree.find(map, "b")].text == "x");

  tree.remove(map, c);
  CHECK(keys(tree, map) == "a b ");
  tree.append(map, "d", tree.add_bool(true));
  CHECK(keys(tree, map) == "a b d ");
  tree.reorder(map, {other, a});
  CHECK(keys(tree, map) == "b a ");
  CHECK(tree[map].size == 2);
}

TEST_CASE("a copy into another tree is equal and independent of the first") {
  Tree copy;
  NodeId root = kNoNode;
  {
    Tree tree;
    const NodeId map = tree.add_map();
    tree.append(map, tree.intern("key"), tree.add_string(tree.intern("value")));
    const NodeId list = tree.add_seq();
    tree.append(list, tree.add_int(-7));
    tree.append(map, "list", list);
    root = copy.copy(tree, map);
    CHECK(equal(tree, map, copy, root));
  }
  CHECK(copy[copy.find(root, "key")].text == "value");
  CHECK(as_int64(copy[copy[copy.find(root, "list")].first]) == -7);
}

TEST_CASE("integers beyond 64 bits are kept and refused as numbers") {
  Tree tree;
  const NodeId big = tree.add(Kind::Int, "18446744073709551616");
  CHECK(tree[big].text == "18446744073709551616");
  CHECK_FALSE(as_int64(tree[big]).has_value());
}

TEST_CASE("a key of any length is found, and only that key") {
  Tree tree;
  const NodeId map = tree.add_map();
  for (std::size_t size = 0; size <= 40; ++size) {
    for (const char last : {'a', 'b'}) {
      if (size == 0 && last == 'b') continue;
      std::string key(size, 'k');
      if (size != 0) key.back() = last;
      CHECK(tree.find(map, key) == kNoNode);
      tree.append(map, tree.intern(key), tree.add_string(tree.intern(key)));
    }
  }
  for (NodeId child : tree.children(map)) {
    const std::string_view key = tree[child].key;
    INFO(key);
    CHECK(tree.find(map, key) == child);
    // The first character counts as well as those in the middle and at the end.
    if (key.empty()) continue;
    std::string other(key);
    other[0] = 'x';
    CHECK(tree.find(map, other) == kNoNode);
    other = key;
    other[key.size() / 2] = 'x';
    CHECK(tree.find(map, other) == kNoNode);
  }
}

TEST_CASE("a key is found whatever keys share its bit, and after entries were moved about") {
  Tree tree;
  const NodeId map = tree.add_map();
  CHECK(tree.find(map, "") == kNoNode);
  for (int i = 0; i < 200; ++i) {
    const std::string key = i == 0 ? "" : "key-" + std::to_string(i);
    CHECK(tree.find(map, key) == kNoNode);
    tree.append(map, tree.intern(key), tree.add_int(i));
  }
  for (int i = 0; i < 200; ++i) {
    const std::string key = i == 0 ? "" : "key-" + std::to_string(i);
    const NodeId found = tree.find(map, key);
    REQUIRE(found != kNoNode);
    CHECK(as_int64(tree[found]) == i);
  }
  CHECK(tree.find(map, "key-200") == kNoNode);
  tree.remove(map, tree.find(map, "key-7"));
  CHECK(tree.find(map, "key-7") == kNoNode);
  CHECK(tree.find(tree.find(map, "key-8"), "key-8") == kNoNode);

  const NodeId list = tree.add_seq();
  tree.append(list, tree.add_int(1));
  CHECK(tree.find(list, "") == kNoNode);
}

TEST_CASE("integers of few digits and of many have their value, and other texts none") {
  const auto value = [](std::string_view text) {
    Node node;
    node.kind = Kind::Int;
    node.text = text;
    return as_int64(node);
  };
  for (std::string_view text :
       {"", "+", "-", "12a", "1.5", "0x10", "123456789a", "9223372036854775808"}) {
    INFO(text);
    CHECK_FALSE(value(text).has_value());
  }
  CHECK(value("0") == 0);
  CHECK(value("007") == 7);
  CHECK(value("+5") == 5);
  CHECK(value("-5") == -5);
  CHECK(value("999999999") == 999'999'999);
  CHECK(value("1000000000") == 1'000'000'000);
  CHECK(value("-9223372036854775808") == INT64_MIN);
}
