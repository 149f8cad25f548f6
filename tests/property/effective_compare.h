#pragma once

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "emit/field_order.h"
#include "tree/json.h"
#include "tree/typed_fields.h"
#include "tree/yaml_reader.h"

namespace trainyard {

/// Documents made of random pieces, the same in every run.
class Pieces {
 public:
  std::uint64_t below(std::uint64_t bound) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return (state_ >> 33) % bound;
  }
  std::string one_of(std::initializer_list<std::string> choices) {
    return choices.begin()[below(choices.size())];
  }

 private:
  std::uint64_t state_ = 20250701;
};

/// A text in the form in which both sides are compared: fields in their order, quantities in
/// theirs, and nothing that is empty, for Go writes or leaves out such values as its types will
/// have it.
class Compared {
 public:
  explicit Compared(Tree tree) : tree_(std::move(tree)) {}

  /// Of an object `without` some of its metadata; with `only`, of that part of it.
  std::string text(NodeId root, std::initializer_list<std::string_view> without = {},
                   std::string_view only = {}) {
    for (std::string_view key : without) {
      const NodeId metadata = tree_.find(root, "metadata");
      const NodeId found = tree_.find(metadata, key);
      if (found != kNoNode) tree_.remove(metadata, found);
    }
    prune(root);
    const NodeId kind = tree_.find(root, "kind");
    if (kind == kNoNode) {  // so that fields are known by their places
      tree_.append(root, "apiVersion", tree_.add_string("v1"));
      tree_.append(root, "kind", tree_.add_string("Pod"));
    }
    into_written_form(tree_, root);
    std::string json;
    write_json(tree_, only.empty() ? root : tree_.find(root, only), json, 0);
    return json;
  }
  NodeId root() const { return tree_.root(); }
  View at(std::string_view key) const { return View(tree_, root())[key]; }

 private:
  /// Whether nothing is left.
  bool prune(NodeId id) {
    const Node& node = tree_[id];
    if (node.is_scalar()) return node.kind == Kind::Null || node.text.empty();
    std::vector<NodeId> gone;
    for (NodeId child : tree_.children(id)) {
      const bool empty = prune(child);
      if (empty && tree_[id].is_map()) gone.push_back(child);
    }
    for (NodeId child : gone) tree_.remove(id, child);
    return tree_[id].size == 0;
  }

  Tree tree_;
};

inline Tree read_one(const std::string& text) {
  SourceMap sources;
  Sink sink;
  const FileId file = sources.add("answer", text);
  const std::vector<Tree> trees = read_yaml(sources, file, sink, {}, Ambiguity::Kubernetes);
  REQUIRE(trees.size() == 1);
  Tree kept;  // with texts of its own
  kept.set_root(kept.copy(trees[0], trees[0].root()));
  return kept;
}

}  // namespace trainyard
