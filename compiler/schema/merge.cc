#include "schema/merge.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "schema/type_words.h"
#include "schema/value_equal.h"

namespace trainyard {
namespace {

constexpr std::string_view kDirective = "$patch";

enum class Directive { None, Delete, Replace };

/// A list whose items are distinguished by some of their fields.
struct KeyedList {
  const SchemaNode& schema;
  PackRange keys;
  NodeId target;
};

/// The first item of each key.
using ItemsByKey = std::unordered_map<std::string, NodeId>;

class Merger {
 public:
  Merger(const SchemaPack& pack, Tree& tree, const Tree& patch, Sink& sink, MergeOrder order)
      : pack_(pack), tree_(tree), patch_(patch), sink_(sink), order_(order) {}

  /// False when the patch takes the map away.
  bool map(SchemaId schema, NodeId target, NodeId patch);

 private:
  Directive directive(NodeId patch);
  void entry(SchemaId schema, NodeId map, NodeId patch);
  void merge_existing(SchemaId schema, NodeId parent, NodeId old, NodeId patch);
  void replace_children(NodeId target, NodeId patch);
  NodeId clean_copy(NodeId patch);

  void list(const SchemaNode& schema, NodeId target, NodeId patch);
  void keyed_list(const SchemaNode& schema, PackRange keys, NodeId target, NodeId patch);
  void keyed_item(const KeyedList& list, ItemsByKey& items, NodeId patch);
  void order_as_server(const KeyedList& list, const ItemsByKey& items, NodeId patch,
                       const std::vector<NodeId>& before);
  void set(NodeId target, NodeId patch);
  ItemsByKey items_of(const KeyedList& list) const;
  std::string key_of(const KeyedList& list, const Tree& tree, NodeId item) const;
  bool has_keys(const SchemaNode& schema, PackRange keys, NodeId patch);

  SchemaId below(SchemaId schema, std::string_view key) const {
    if (schema == kNoLimit) return kNoLimit;
    return pack_.property(pack_[schema], key).value_or(pack_[schema].additional);
  }
  std::string_view default_of(const SchemaNode& list, std::string_view key) const {
    const SchemaId id = list.items == kNoLimit ? kNoLimit : below(list.items, key);
    return id == kNoLimit ? std::string_view() : pack_.text(pack_[id].default_value);
  }
  bool is_absent(const Tree& tree, NodeId id) const {
    return id == kNoNode || tree[id].kind == Kind::Null;
  }

  const SchemaPack& pack_;
  Tree& tree_;
  const Tree& patch_;
  Sink& sink_;
  MergeOrder order_;
};

bool is_directive(std::string_view key) {
  return key.starts_with('$');
}

Directive Merger::directive(NodeId patch) {
  Directive result = Directive::None;
  for (NodeId child : patch_.children(patch)) {
    const Node& node = patch_[child];
    if (!is_directive(node.key)) continue;
    if (node.key != kDirective) {
      sink_.report(DiagnosticKind::UnknownField, node.key_span,
                   "the directive " + shown(node.key) + " is not known, only `$patch` is");
    } else if (node.text == "delete") {
      result = Directive::Delete;
    } else if (node.text == "replace") {
      result = Directive::Replace;
    } else if (node.text != "merge") {
      sink_.report(DiagnosticKind::NotInEnum, node.span,
                   shown(node) + " is no directive, wanted `delete`, `replace` or `merge`");
    }
  }
  return result;
}

bool Merger::map(SchemaId schema, NodeId target, NodeId patch) {
  switch (directive(patch)) {
    case Directive::Delete:
      return false;
    case Directive::Replace:
      replace_children(target, patch);
      return true;
    case Directive::None:
      break;
  }
  for (NodeId child : patch_.children(patch)) {
    if (!is_directive(patch_[child].key)) entry(below(schema, patch_[child].key), target, child);
  }
  return true;
}

void Merger::entry(SchemaId schema, NodeId map, NodeId patch) {
  const std::string_view key = patch_[patch].key;
  const NodeId old = tree_.find(map, key);
  if (patch_[patch].kind == Kind::Null) {
    if (old != kNoNode) tree_.remove(map, old);
  } else if (old != kNoNode) {
    merge_existing(schema, map, old, patch);
  } else if (const NodeId added = clean_copy(patch); added != kNoNode) {
    tree_.append(map, added);
  }
}

void Merger::merge_existing(SchemaId schema, NodeId parent, NodeId old, NodeId patch) {
  const bool known = schema != kNoLimit;
  const bool atomic_map =
      known && order_ != MergeOrder::AsServer && pack_[schema].map_type == MapType::Atomic;
  if (tree_[old].is_map() && patch_[patch].is_map() && !atomic_map) {
    if (!map(schema, old, patch)) tree_.remove(parent, old);
    return;
  }
  if (tree_[old].is_seq() && patch_[patch].is_seq() && known) {
    list(pack_[schema], old, patch);
    return;
  }
  const NodeId fresh = clean_copy(patch);
  if (fresh == kNoNode) {
    tree_.remove(parent, old);
    return;
  }
  const Span key_span = tree_[fresh].key_span;
  tree_.replace(parent, old, fresh);
  if (key_span.known()) tree_[fresh].key_span = key_span;
}

void Merger::replace_children(NodeId target, NodeId patch) {
  tree_.reorder(target, {});
  for (NodeId child : patch_.children(patch)) {
    const NodeId fresh = is_directive(patch_[child].key) ? kNoNode : clean_copy(child);
    if (fresh != kNoNode) tree_.append(target, fresh);
  }
}

/// What a patch adds where nothing was: without nulls and directives. Nothing for `$patch: delete`.
NodeId Merger::clean_copy(NodeId patch) {
  const Node source = patch_[patch];  // a copy: both trees may be one
  if (source.kind == Kind::Null && !source.key.empty()) return kNoNode;
  if (source.is_scalar()) return tree_.copy(patch_, patch);
  if (source.is_map() && directive(patch) == Directive::Delete) return kNoNode;
  const NodeId fresh = tree_.add(source.kind, {}, source.origin);
  tree_[fresh].key = tree_.intern(source.key);
  tree_[fresh].span = source.span;
  tree_[fresh].key_span = source.key_span;
  tree_[fresh].style = source.style;
  for (NodeId child : patch_.children(patch)) {
    const bool skipped = source.is_map() && is_directive(patch_[child].key);
    const NodeId copied = skipped ? kNoNode : clean_copy(child);
    if (copied != kNoNode) tree_.append(fresh, copied);
  }
  return fresh;
}

void Merger::list(const SchemaNode& schema, NodeId target, NodeId patch) {
  if (schema.merge_keys.count != 0) return keyed_list(schema, schema.merge_keys, target, patch);
  if (schema.list_type == ListType::Map && schema.list_keys.count != 0) {
    return keyed_list(schema, schema.list_keys, target, patch);
  }
  if (schema.list_type == ListType::Set) return set(target, patch);
  replace_children(target, patch);
  tree_[target].span = patch_[patch].span;
  tree_[target].origin = patch_[patch].origin;
}

void Merger::keyed_list(const SchemaNode& schema, PackRange keys, NodeId target, NodeId patch) {
  for (NodeId item : patch_.children(patch)) {
    const bool only_directive = patch_[item].is_map() && patch_[item].size == 1;
    if (!only_directive || patch_[patch_[item].first].key != kDirective) continue;
    if (directive(item) == Directive::Replace) tree_.reorder(target, {});
  }
  std::vector<NodeId> before;
  for (NodeId item : tree_.children(target)) before.push_back(item);
  const KeyedList list{schema, keys, target};
  ItemsByKey items = items_of(list);
  for (NodeId item : patch_.children(patch)) keyed_item(list, items, item);
  if (order_ == MergeOrder::AsServer) order_as_server(list, items, patch, before);
}

ItemsByKey Merger::items_of(const KeyedList& list) const {
  ItemsByKey items;
  for (NodeId item : tree_.children(list.target)) {
    if (tree_[item].is_map()) items.try_emplace(key_of(list, tree_, item), item);
  }
  return items;
}

/// The values of the keys as JSON; `~` where there is none.
std::string Merger::key_of(const KeyedList& list, const Tree& tree, NodeId item) const {
  std::string all;
  for (PackText each : pack_.texts(list.keys)) {
    const std::string_view key = pack_.text(each);
    const NodeId value = tree.find(item, key);
    if (is_absent(tree, value)) {
      const std::string_view standard = default_of(list.schema, key);
      all += standard.empty() ? "~" : standard;
    } else if (tree[value].kind == Kind::String) {
      all.append("\"").append(tree[value].text).append("\"");
    } else {
      all += tree[value].text;
    }
    all += '\n';
  }
  return all;
}

/// Two lists become one: items that the patch names, in its order, and the others in theirs. An
/// item of the others goes first only when it stood before the other list's next item.
/// kubernetes/apimachinery pkg/util/strategicpatch/patch.go (normalizeElementOrder)
void Merger::order_as_server(const KeyedList& list, const ItemsByKey& items, NodeId patch,
                             const std::vector<NodeId>& before) {
  std::vector<NodeId> patched;
  std::unordered_set<NodeId> is_patched;
  for (NodeId item : patch_.children(patch)) {
    if (!patch_[item].is_map()) continue;
    const auto found = items.find(key_of(list, patch_, item));
    if (found != items.end() && is_patched.insert(found->second).second) {
      patched.push_back(found->second);
    }
  }
  std::vector<NodeId> others;
  for (NodeId item : tree_.children(list.target)) {
    if (!is_patched.contains(item)) others.push_back(item);
  }
  std::unordered_map<NodeId, std::size_t> places;
  for (NodeId item : before) places.emplace(item, places.size());
  const auto place = [&](NodeId item) {
    const auto found = places.find(item);
    return found == places.end() ? before.size() : found->second;
  };
  std::vector<NodeId> merged;
  std::size_t next = 0;
  for (NodeId item : patched) {
    const bool old = place(item) != before.size();
    while (old && next < others.size() && place(others[next]) < place(item)) {
      merged.push_back(others[next++]);
    }
    merged.push_back(item);
  }
  merged.insert(merged.end(), others.begin() + static_cast<std::ptrdiff_t>(next), others.end());
  tree_.reorder(list.target, merged);
}

void Merger::keyed_item(const KeyedList& list, ItemsByKey& items, NodeId patch) {
  const bool only_directive = patch_[patch].is_map() && patch_[patch].size == 1 &&
                              patch_[patch_[patch].first].key == kDirective;
  if (only_directive && directive(patch) == Directive::Replace) return;
  if (!has_keys(list.schema, list.keys, patch)) return;
  const auto [known, is_new] = items.try_emplace(key_of(list, patch_, patch), kNoNode);
  if (is_new) {
    known->second = clean_copy(patch);
    if (known->second == kNoNode) {
      items.erase(known);
    } else {
      tree_.append(list.target, known->second);
    }
  } else if (!map(list.schema.items, known->second, patch)) {
    tree_.remove(list.target, known->second);
    items = items_of(list);  // another of the key may be there
  }
}

bool Merger::has_keys(const SchemaNode& schema, PackRange keys, NodeId patch) {
  if (!patch_[patch].is_map()) {
    sink_.report(DiagnosticKind::WrongType, patch_[patch].span,
                 "found " + described(patch_[patch]) + ", wanted a map");
    return false;
  }
  bool complete = true;
  for (PackText each : pack_.texts(keys)) {
    const std::string_view key = pack_.text(each);
    const bool absent = is_absent(patch_, patch_.find(patch, key));
    if (!absent || !default_of(schema, key).empty()) continue;
    sink_.report(DiagnosticKind::MissingField, patch_[patch].span,
                 "missing field " + shown(key) + ": items of this list are merged by it");
    complete = false;
  }
  return complete;
}

void Merger::set(NodeId target, NodeId patch) {
  for (NodeId item : patch_.children(patch)) {
    bool present = false;
    for (NodeId old : tree_.children(target)) {
      present = present || equal(tree_, old, patch_, item);
    }
    if (!present) tree_.append(target, tree_.copy(patch_, item));
  }
}

}  // namespace

bool strategic_merge(const SchemaPack& pack, SchemaId schema, Tree& tree, NodeId object,
                     const Tree& patch, NodeId patch_root, Sink& sink, MergeOrder order) {
  if (!patch[patch_root].is_map() || !tree[object].is_map()) {
    const bool from_patch = !patch[patch_root].is_map();
    const Node& wrong = from_patch ? patch[patch_root] : tree[object];
    sink.report(DiagnosticKind::WrongType, wrong.span,
                "found " + described(wrong) + ", wanted a map");
    return true;
  }
  return Merger(pack, tree, patch, sink, order).map(schema, object, patch_root);
}

}  // namespace trainyard
