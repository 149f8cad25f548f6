#include "schema/shared_definitions.h"

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "schema/json_text.h"
#include "schema/keywords.h"

namespace trainyard {
namespace {

constexpr std::size_t kWorthSharing = 200;  // bytes of JSON; less is easier read in place

/// Schemas below `id`, itself included, innermost first.
class Walk {
 public:
  explicit Walk(const Tree& tree) : tree_(tree) {}

  template <class Visit>
  void schemas(NodeId id, std::string_view name, const Visit& visit) const {
    if (!tree_[id].is_map()) return;
    for (const KeywordInfo& keyword : compact_keywords()) {
      const NodeId value = tree_.find(id, keyword.name);
      if (value == kNoNode || keyword.holds == Holds::Value) continue;
      if (keyword.holds == Holds::Schema) {
        schemas(value, name, visit);
      } else {
        const bool named = keyword.holds == Holds::SchemaMap;
        for (const NodeId child : tree_.children(value)) {
          schemas(child, named ? tree_[child].key : name, visit);
        }
      }
    }
    visit(id, name);
  }

 private:
  const Tree& tree_;
};

class Sharing {
 public:
  explicit Sharing(Tree& tree) : tree_(tree) {}

  void run() {
    Walk(tree_).schemas(tree_.root(), "root",
                        [this](NodeId id, std::string_view name) { count(id, name); });
    Tree shared;
    const NodeId root = copy_inside(tree_.root(), shared);
    if (!definitions_.empty()) shared.append(root, "$defs", definitions(shared));
    shared.set_root(root);
    tree_ = std::move(shared);
  }

 private:
  struct Subtree {
    std::size_t count = 0;
    std::string name;  // of the property where it came first
    std::string definition;
  };

  void count(NodeId id, std::string_view name) {
    std::string text;
    append_json(tree_, id, text);
    if (text.size() < kWorthSharing) return;
    const auto [at, first] = subtrees_.try_emplace(std::move(text));
    if (first) at->second.name = name;
    ++at->second.count;
    by_node_[id] = &at->second;
  }

  /// A copy of the schema, or a reference to where it is kept.
  NodeId copy(NodeId id, Tree& to) {
    const auto known = by_node_.find(id);
    if (known == by_node_.end() || known->second->count < 2) return copy_inside(id, to);
    Subtree& subtree = *known->second;
    if (subtree.definition.empty()) define(id, subtree, to);
    const NodeId out = to.add_map();
    const std::string reference = "#/$defs/" + subtree.definition;
    to.append(out, "$ref", to.add_string(to.intern(reference)));
    return out;
  }

  void define(NodeId id, Subtree& subtree, Tree& to) {
    std::string name = subtree.name;
    for (int n = 2; !taken_.insert(name).second; ++n) name = subtree.name + std::to_string(n);
    subtree.definition = name;
    definitions_[name] = copy_inside(id, to);
  }

  NodeId copy_inside(NodeId id, Tree& to) {
    if (!tree_[id].is_map()) return to.copy(tree_, id);
    const NodeId out = to.add_map();
    for (const KeywordInfo& keyword : compact_keywords()) {
      const NodeId value = tree_.find(id, keyword.name);
      if (value != kNoNode) to.append(out, keyword.name, held(value, keyword.holds, to));
    }
    return out;
  }

  NodeId held(NodeId value, Holds holds, Tree& to) {
    if (holds == Holds::Value) return to.copy(tree_, value);
    if (holds == Holds::Schema) return copy(value, to);
    const bool map = holds == Holds::SchemaMap;
    const NodeId out = map ? to.add_map() : to.add_seq();
    for (const NodeId child : tree_.children(value)) {
      const NodeId made = copy(child, to);
      if (map) {
        to.append(out, to.intern(tree_[child].key), made);
      } else {
        to.append(out, made);
      }
    }
    return out;
  }

  NodeId definitions(Tree& to) {
    const NodeId out = to.add_map();
    for (const auto& [name, id] : definitions_) to.append(out, to.intern(name), id);
    return out;
  }

  Tree& tree_;
  std::unordered_map<std::string, Subtree> subtrees_;  // by JSON text
  std::unordered_map<NodeId, Subtree*> by_node_;
  std::set<std::string> taken_;
  std::map<std::string, NodeId> definitions_;  // in the new tree
};

}  // namespace

void share_repeated(Tree& schema) {
  Sharing(schema).run();
}

}  // namespace trainyard
