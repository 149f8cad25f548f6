#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "tree/tree.h"
#include "tree/yaml_writer.h"

namespace trainyard {

/// Puts one document together. An entry whose value is kNoNode is left out.
class YamlMaker {
 public:
  using Entries = std::initializer_list<std::pair<std::string_view, NodeId>>;

  NodeId text(std::string_view value) { return tree_.add_string(tree_.intern(value)); }
  NodeId flag(bool value) { return tree_.add_bool(value); }
  NodeId number(std::int64_t value) { return tree_.add_int(value); }
  NodeId map(Entries entries) {
    const NodeId id = tree_.add_map();
    for (const auto& [key, value] : entries) {
      if (value != kNoNode) tree_.append(id, tree_.intern(key), value);
    }
    return id;
  }
  NodeId list(std::initializer_list<NodeId> items) {
    const NodeId id = tree_.add_seq();
    for (const NodeId item : items) {
      if (item != kNoNode) tree_.append(id, item);
    }
    return id;
  }
  NodeId texts(std::initializer_list<std::string_view> values) {
    const NodeId id = tree_.add_seq();
    for (const std::string_view value : values) tree_.append(id, text(value));
    return id;
  }
  /// A list with an item for each element.
  template <class Range, class Make>
  NodeId each(const Range& range, const Make& make) {
    const NodeId id = tree_.add_seq();
    for (const auto& element : range) tree_.append(id, make(element));
    return id;
  }

  /// For parts that others add to it.
  Tree& tree() { return tree_; }

  /// The document, below `---`.
  std::string document(NodeId root) const {
    std::string out = "---\n";
    write_yaml(tree_, root, out, nullptr);
    return out;
  }
  std::string document(Entries entries) { return document(map(entries)); }

 private:
  Tree tree_;
};

}  // namespace trainyard
