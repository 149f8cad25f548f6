// A witness hears of every node whose text somebody may see through a view, and only of these.
#include <catch2/catch_test_macros.hpp>
#include <set>

#include "tree/tree.h"

using namespace trainyard;

namespace {

class Witness final : public ViewWitness {
 public:
  Witness() { view_witness = this; }
  ~Witness() { view_witness = nullptr; }
  Witness(const Witness&) = delete;
  Witness& operator=(const Witness&) = delete;

  void looked_at(const Tree&, NodeId id) override { nodes.insert(id); }
  void looked_at_digits(const Tree&, NodeId id) override { digits.insert(id); }
  void looked_at_all(const Tree&) override { all = true; }

  std::set<NodeId> nodes;
  std::set<NodeId> digits;
  bool all = false;
};

/// {name: a, list: [b, c]}
struct Sample {
  Tree tree;
  NodeId root = tree.add_map();
  NodeId name = tree.add_string("a");
  NodeId list = tree.add_seq();
  NodeId b = tree.add_string("b");
  NodeId c = tree.add_string("c");

  Sample() {
    tree.append(root, "name", name);
    tree.append(root, "list", list);
    tree.append(list, b);
    tree.append(list, c);
  }
  View view() const { return {tree, root}; }
};

}  // namespace

TEST_CASE("a witness hears of each way to see the text of a node") {
  const Sample sample;
  Witness witness;
  CHECK(sample.view()["name"]->text == "a");
  CHECK(witness.nodes == std::set{sample.name});
  CHECK(sample.view()["list"].first().text() == "b");
  CHECK(witness.nodes == std::set{sample.name, sample.b});
  CHECK((*sample.view()["list"].first().next()).text == "c");
  CHECK(witness.nodes == std::set{sample.name, sample.b, sample.c});
  CHECK_FALSE(witness.all);
  CHECK(sample.view().tree().size() == 5);
  CHECK(witness.all);
}

TEST_CASE("a witness does not hear of what no text decides") {
  const Sample sample;
  Witness witness;
  const View name = sample.view()["name"];
  CHECK(name);
  CHECK(name.kind() == Kind::String);
  CHECK(name.key() == "name");
  CHECK(name.is_at(View(sample.tree, sample.name)));
  CHECK_FALSE(name.is_at(sample.view()));
  CHECK_FALSE(sample.view()["other"]);
  CHECK_FALSE(sample.view()["list"].first().next().next());
  CHECK(witness.nodes.empty());
  CHECK_FALSE(witness.all);
}

TEST_CASE("of digits that somebody passes over a witness hears no more than that they are digits") {
  Sample sample;
  const NodeId number = sample.tree.add_string("4711");
  sample.tree.append(sample.list, number);
  Witness witness;
  CHECK(View(sample.tree, number).is_digits());
  CHECK(witness.digits == std::set{number});
  CHECK(witness.nodes.empty());
  // What is something else is seen whole.
  CHECK_FALSE(View(sample.tree, sample.b).is_digits());
  CHECK(witness.nodes == std::set{sample.b});
  CHECK(witness.digits == std::set{number});
}

TEST_CASE("digits are at least one, and nothing else") {
  CHECK(are_digits("0"));
  CHECK(are_digits("0123456789"));
  for (const std::string_view text : {"", "-1", "1.5", "1 ", "1e3", "x", "\xD9\xA1"}) {
    CHECK_FALSE(are_digits(text));
  }
}
