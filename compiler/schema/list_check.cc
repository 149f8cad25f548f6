#include "schema/list_check.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>
#include <vector>

#include "schema/type_words.h"
#include "schema/value_equal.h"

namespace trainyard {
namespace {

constexpr std::uint32_t kFewItems = 12;  // up to here comparing all pairs beats hashing

/// Lists of the core API whose keys the server does not enforce when an object is created; only
/// server-side apply does.
bool is_lenient_list(std::string_view name, std::string_view first_key) {
  constexpr std::array<std::string_view, 7> names = {
      "env",        "hostAliases", "imagePullSecrets", "secrets", "ownerReferences",
      "conditions", "claims"};
  // The ports of a Service are checked, those of a container are not.
  return std::ranges::find(names, name) != names.end() || first_key == "containerPort";
}

/// The same for lists of other groups: of a policy's variables the last one of a name counts.
/// kubernetes/kubernetes pkg/apis/admissionregistration/validation/validation.go,
/// kubernetes/apiextensions-apiserver pkg/apis/apiextensions/validation/validation.go
bool is_lenient_list_of_server(std::string_view name) {
  return name == "variables" || name == "x-kubernetes-validations";
}

/// Go types have lists alone, so that only server-side apply has sets. What is written by hand
/// refuses equal items in two of them. kubernetes/kubernetes
/// pkg/apis/admissionregistration/validation/validation.go validateValidationActions,
/// pkg/apis/batch/validation/validation.go validatePodFailurePolicyRuleOnExitCodes
bool is_strict_set(std::string_view name, std::string_view holder) {
  return name == "validationActions" || (name == "values" && holder == "onExitCodes");
}

struct KeyedItem {
  std::uint64_t hash;
  std::uint32_t index;
  NodeId node;
  NodeId first;  // the first item that equals this one, maybe itself
};

/// Calls `found(first, second, index)` once for each item that equals an earlier one, in order.
/// Equal items have the same `rule.hash(item)`, and `rule.same(a, b)` is asked of those alone.
template <class Rule, class Found>
void each_duplicate(const Tree& tree, NodeId list, const Rule& rule, Found found) {
  if (tree[list].size <= kFewItems) {
    std::uint32_t index = 0;
    for (NodeId later : tree.children(list)) {
      for (NodeId earlier : tree.children(list)) {
        if (earlier == later) break;
        if (!rule.same(earlier, later)) continue;
        found(earlier, later, index);
        break;
      }
      ++index;
    }
    return;
  }
  std::vector<KeyedItem> items;
  items.reserve(tree[list].size);
  for (NodeId item : tree.children(list)) {
    items.push_back({rule.hash(item), static_cast<std::uint32_t>(items.size()), item, item});
  }
  std::ranges::sort(items, [](const KeyedItem& a, const KeyedItem& b) {
    return std::pair(a.hash, a.index) < std::pair(b.hash, b.index);
  });
  for (std::size_t i = 1; i < items.size(); ++i) {
    for (std::size_t j = i; j-- > 0 && items[j].hash == items[i].hash;) {
      if (!rule.same(items[j].node, items[i].node)) continue;
      items[i].first = items[j].first;
      break;
    }
  }
  std::ranges::sort(items, {}, &KeyedItem::index);
  for (const KeyedItem& item : items) {
    if (item.first != item.node) found(item.first, item.node, item.index);
  }
}

/// Compares the items of a list by the keys of its schema. A key that is left out counts with its
/// default.
class ItemKeys {
 public:
  ItemKeys(const SchemaPack& pack, const SchemaNode& list, const Tree& tree)
      : pack_(pack),
        tree_(tree),
        item_(pack[list.items == kNoLimit ? kAnySchema : list.items]),
        keys_(pack.texts(list.list_keys)) {}

  bool same(NodeId a, NodeId b) const {
    if (!tree_[a].is_map() || !tree_[b].is_map()) return false;
    for (PackText key : keys_) {
      if (!same_key(pack_.text(key), a, b)) return false;
    }
    return true;
  }

  /// Whether a glance at the first key tells the items of a short list apart: nearly always.
  bool plainly_distinct(NodeId list) const {
    std::array<std::string_view, kFewItems> texts;
    if (tree_[list].size > kFewItems) return false;
    const std::string_view key = pack_.text(keys_.front());
    std::size_t count = 0;
    for (NodeId item : tree_.children(list)) {
      const NodeId value = tree_.find(item, key);
      if (value == kNoNode || tree_[value].kind != Kind::String) return false;
      const std::string_view text = tree_[value].text;
      if (std::find(texts.begin(), texts.begin() + count, text) != texts.begin() + count) {
        return false;
      }
      texts[count++] = text;
    }
    return true;
  }

  /// Defaults are left out of the hash: equal keys still have equal hashes only if no default is
  /// involved, so keys with a default do not count here at all.
  std::uint64_t hash(NodeId item) const {
    std::uint64_t result = 0;
    for (PackText key : keys_) {
      const std::string_view name = pack_.text(key);
      if (default_of(name).empty()) {
        const NodeId value = tree_.find(item, name);
        result = result * 31 + (value == kNoNode ? 0 : value_hash(tree_, value));
      }
    }
    return result;
  }

  std::string text(NodeId item) const {
    std::string result;
    for (PackText key : keys_) {
      const std::string_view name = pack_.text(key);
      const NodeId value = tree_.find(item, name);
      if (!result.empty()) result += ", ";
      result += "`" + std::string(name) + ": ";
      result += value == kNoNode ? plain_json(default_of(name)) : std::string(tree_[value].text);
      result += "`";
    }
    return result;
  }

 private:
  std::string_view default_of(std::string_view key) const {
    const auto property = pack_.property(item_, key);
    return property ? pack_.text(pack_[*property].default_value) : std::string_view();
  }
  bool is_absent(NodeId node) const { return node == kNoNode || tree_[node].kind == Kind::Null; }

  bool same_key(std::string_view key, NodeId a, NodeId b) const {
    const NodeId x = tree_.find(a, key);
    const NodeId y = tree_.find(b, key);
    if (!is_absent(x) && !is_absent(y)) return same_value(tree_, x, y);
    if (is_absent(x) && is_absent(y)) return true;
    const std::string_view standard = default_of(key);
    return !standard.empty() && is_json(tree_, is_absent(x) ? y : x, standard);
  }

  const SchemaPack& pack_;
  const Tree& tree_;
  const SchemaNode& item_;
  std::span<const PackText> keys_;
};

/// Compares the items of a set. Fields that are left out count with their defaults; only those of
/// the items themselves, as sets of anything deeper are unheard of.
class FilledItems {
 public:
  FilledItems(const SchemaPack& pack, const SchemaNode& item, const Tree& tree)
      : pack_(pack), tree_(tree) {
    for (const SchemaProperty& each : pack.properties(item)) {
      if (pack[each.schema].default_value.size != 0) filled_.push_back(&each);
    }
  }

  /// Of fields with a default nothing is in the hash: the same value may be written or not.
  std::uint64_t hash(NodeId item) const {
    if (filled_.empty() || !tree_[item].is_map()) return value_hash(tree_, item);
    std::uint64_t result = 0;
    for (NodeId child : tree_.children(item)) {
      if (default_of(tree_[child].key).size != 0) continue;
      result += value_hash(tree_, child) ^ std::hash<std::string_view>()(tree_[child].key);
    }
    return result;
  }

  bool same(NodeId a, NodeId b) const {
    if (filled_.empty() || !tree_[a].is_map() || !tree_[b].is_map()) {
      return same_value(tree_, a, b);
    }
    return has_all(a, b) && has_all(b, a);
  }

 private:
  PackText default_of(std::string_view key) const {
    for (const SchemaProperty* each : filled_) {
      if (pack_.text(each->name) == key) return pack_[each->schema].default_value;
    }
    return {};
  }

  /// Whether `b` has every field of `a`, with the same value.
  bool has_all(NodeId a, NodeId b) const {
    for (NodeId child : tree_.children(a)) {
      const NodeId other = tree_.find(b, tree_[child].key);
      const PackText standard = default_of(tree_[child].key);
      const bool same = other != kNoNode
                            ? same_value(tree_, child, other)
                            : standard.size != 0 && is_json(tree_, child, pack_.text(standard));
      if (!same) return false;
    }
    return true;
  }

  const SchemaPack& pack_;
  const Tree& tree_;
  std::vector<const SchemaProperty*> filled_;
};

void item_count(const Subject& subject, const SchemaNode& schema, const Frame& at) {
  const std::uint32_t count = subject.tree[at.node].size;
  if (count >= schema.min_items && count <= schema.max_items) return;
  if (Violation* found = subject.fail(DiagnosticKind::BadLength, at)) {
    const bool few = count < schema.min_items;
    found->message = "found " + counted(count, "item") + ", wanted at " +
                     (few ? "least " : "most ") +
                     std::to_string(few ? schema.min_items : schema.max_items);
  }
}

/// Reports that an item of a list is the same as an earlier one; the message is left to say.
Violation* duplicate(const Subject& subject, const Frame& list, NodeId first, NodeId second,
                     std::uint32_t index, bool lenient) {
  const Frame below{&list, second, index, nullptr};
  Violation* found = lenient ? subject.warn(DiagnosticKind::DuplicateItem, below)
                             : subject.fail(DiagnosticKind::DuplicateItem, below);
  if (found != nullptr) found->other = first;
  return found;
}

void unique_items(const Subject& subject, const SchemaNode& schema, const Frame& at) {
  const bool lenient = subject.is_builtin && at.in_map() &&
                       !is_strict_set(subject.tree[at.node].key, subject.tree[at.up->node].key);
  const FilledItems items(subject.pack,
                          subject.pack[schema.items == kNoLimit ? kAnySchema : schema.items],
                          subject.tree);
  each_duplicate(subject.tree, at.node, items,
                 [&](NodeId first, NodeId second, std::uint32_t index) {
                   if (Violation* found = duplicate(subject, at, first, second, index, lenient)) {
                     found->message = shown(subject.tree[second]) +
                                      " is in the list already, wanted every item once" +
                                      (lenient ? ": only server-side apply refuses it" : "");
                   }
                 });
}

void unique_keys(const Subject& subject, const SchemaNode& schema, const Frame& at) {
  const ItemKeys keys(subject.pack, schema, subject.tree);
  if (keys.plainly_distinct(at.node)) return;
  const std::string_view name = at.in_map() ? subject.tree[at.node].key : std::string_view();
  const bool lenient =
      ((schema.merge_keys.count != 0 || subject.is_builtin) &&
       is_lenient_list(name, subject.pack.text(subject.pack.texts(schema.list_keys).front()))) ||
      (subject.is_builtin && is_lenient_list_of_server(name));
  each_duplicate(subject.tree, at.node, keys,
                 [&](NodeId first, NodeId second, std::uint32_t index) {
                   if (Violation* found = duplicate(subject, at, first, second, index, lenient)) {
                     found->message = "a second item with " + keys.text(second) + ", wanted one" +
                                      (lenient ? ": only server-side apply refuses it" : "");
                   }
                 });
}

}  // namespace

void check_list(const Subject& subject, const SchemaNode& schema, const Frame& at) {
  item_count(subject, schema, at);
  const bool is_set = (schema.flags & kUniqueItems) || schema.list_type == ListType::Set;
  if (is_set) unique_items(subject, schema, at);
  if (schema.list_type == ListType::Map && schema.list_keys.count != 0) {
    unique_keys(subject, schema, at);
  }
}

}  // namespace trainyard
