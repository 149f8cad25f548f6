#include "schema/field_below.h"

#include <algorithm>
#include <array>
#include <vector>

namespace trainyard {
namespace {

constexpr std::size_t kMostPlaces = 2000;
constexpr std::size_t kMostEntries = 200;  // of one map: each unknown key looks at all of them
constexpr int kDeepest = 8;                // of what is there
constexpr int kDeepestPossible = 2;        // of what could be there

struct Place {
  const SchemaNode* schema;
  NodeId node;  // kNoNode for one that could be there
  std::string path;
};

bool stands_everywhere(std::string_view key) {
  constexpr auto words = std::to_array<std::string_view>(
      {"name", "namespace", "kind", "type", "key", "value", "values", "labels", "annotations"});
  return std::ranges::find(words, key) != words.end();
}

class Search {
 public:
  Search(const SchemaPack& pack, const Tree& tree, std::string_view key,
         const std::function<bool(const SchemaNode&)>& fits)
      : pack_(pack), tree_(tree), key_(key), fits_(fits) {}

  /// Of the nearest places that know the key the only one; "" for none or several.
  std::string nearest(Place from, bool possible) {
    std::vector<Place> level{std::move(from)};
    const int deepest = possible ? kDeepestPossible : kDeepest;
    for (int depth = 0; depth < deepest && !level.empty(); ++depth) {
      std::vector<Place> next;
      for (const Place& each : level) possible ? could_have(each, next) : has(each, next);
      if (next.size() > kMostPlaces) return {};
      std::string found;
      for (const Place& each : next) {
        if (!knows(*each.schema)) continue;
        if (!found.empty()) return {};
        found = each.path;
      }
      if (!found.empty()) return found;
      level = std::move(next);
    }
    return {};
  }

 private:
  bool knows(const SchemaNode& schema) const {
    const auto property = pack_.property(schema, key_);
    return property && fits_(pack_[*property]);
  }

  void add(SchemaId id, NodeId node, std::string path, std::vector<Place>& to) const {
    if (id != kNoLimit && id != kAnySchema) to.push_back({&pack_[id], node, std::move(path)});
  }

  static std::string joined(const std::string& path, std::string_view key) {
    return path.empty() ? std::string(key) : path + "." + std::string(key);
  }

  /// One step into what the document has; of a list, into its first item.
  void has(const Place& at, std::vector<Place>& to) const {
    if (tree_[at.node].is_seq()) {
      if (tree_[at.node].first != kNoNode) {
        add(at.schema->items, tree_[at.node].first, at.path + "[0]", to);
      }
      return;
    }
    if (tree_[at.node].size > kMostEntries) return;
    for (NodeId child : tree_.children(at.node)) {
      const std::string_view key = tree_[child].key;
      if (!is_way(key) || tree_[child].is_scalar()) continue;
      const auto property = pack_.property(*at.schema, key);
      add(property.value_or(at.schema->additional), child, joined(at.path, key), to);
    }
  }

  void could_have(const Place& at, std::vector<Place>& to) const {
    for (const SchemaProperty& each : pack_.properties(*at.schema)) {
      const std::string_view key = pack_.text(each.name);
      if (is_way(key)) add(each.schema, kNoNode, joined(at.path, key), to);
    }
  }

  static bool is_way(std::string_view key) { return key != "status" && key != "metadata"; }

  const SchemaPack& pack_;
  const Tree& tree_;
  std::string_view key_;
  const std::function<bool(const SchemaNode&)>& fits_;
};

}  // namespace

std::string field_below(const SchemaPack& pack, const Tree& tree, NodeId map,
                        const SchemaNode& schema, const std::string& path, std::string_view key,
                        const std::function<bool(const SchemaNode&)>& fits) {
  if (stands_everywhere(key)) return {};
  Search search(pack, tree, key, fits);
  const std::string found = search.nearest({&schema, map, path}, false);
  return found.empty() ? search.nearest({&schema, kNoNode, path}, true) : found;
}

}  // namespace trainyard
