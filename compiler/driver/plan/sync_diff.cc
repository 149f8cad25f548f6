#include "driver/plan/sync_diff.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "driver/plan/field_owner.h"
#include "driver/plan/object_diff.h"
#include "manifest/kinds.h"
#include "schema/server_form.h"
#include "source/base64.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Maps of amounts, and fields that hold one.
constexpr auto kAmounts = std::to_array<std::string_view>(
    {".limits", ".requests", ".capacity", ".sizeLimit", ".divisor", "Quota", "Limit"});

/// An item of a list by what tells it from the others, or by its place.
View item_of(View list, std::string_view name) {
  std::size_t index = 0;
  for (const View item : Items(list)) {
    for (const std::string_view key : {"name", "key", "type"}) {
      if (item->is_map() && item[key].text() == name) return item;
    }
    if (std::to_string(index++) == name) return item;
  }
  return {};
}

bool has_path(View at, std::string_view path) {
  while (at && !path.empty()) {
    const PathStep step = take_step(path);
    at = at->is_seq() ? item_of(at, step.name) : get(at, step.name);
  }
  return static_cast<bool>(at);
}

bool is_item_by_place(std::string_view path) {
  if (!path.ends_with(']')) return false;
  const std::string_view digits = path.substr(path.rfind('[') + 1);
  return digits.find_first_not_of("0123456789]") == std::string_view::npos;
}

/// What the server does not keep.
bool says_nothing(View value) {
  if (value->is_scalar()) return value.kind() == Kind::Null || value->text.empty();
  return value->size == 0;
}

bool is_same_amount(const Difference& each) {
  if (!each.before || !each.after) return false;
  if (!each.before->is_scalar() || !each.after->is_scalar()) return false;
  const bool is_amount = std::ranges::any_of(kAmounts, [&each](std::string_view word) {
    return each.path.find(word) != std::string::npos;
  });
  if (!is_amount) return false;
  const auto before = Quantity::parse(each.before->text);
  return before && before == Quantity::parse(each.after->text);
}

/// Lists of items with names keep them in the order in which they are applied.
class OrderWalk {
 public:
  explicit OrderWalk(std::vector<Difference>& into) : into_(into) {}

  void compare(View before, View after, const std::string& path) {
    if (!before || !after || before->kind != after->kind) return;
    if (before->is_map()) {
      for (const View entry : Items(after)) {
        compare(before[entry.key()], entry,
                path + (path.empty() ? "" : ".") + std::string(entry.key()));
      }
    } else if (before->is_seq()) {
      compare_lists(before, after, path);
    }
  }

 private:
  void compare_lists(View before, View after, const std::string& path) {
    std::unordered_map<std::string_view, std::pair<std::size_t, View>> places;
    std::size_t index = 0;
    for (const View item : Items(before)) {
      const std::string_view name = item->is_map() ? item["name"].text() : std::string_view();
      if (name.empty() || !places.try_emplace(name, index++, item).second) return;
    }
    std::size_t least = 0;
    for (const View item : Items(after)) {
      const auto found = places.find(item->is_map() ? item["name"].text() : std::string_view());
      if (found == places.end()) continue;
      const auto& [place, old] = found->second;
      if (place < least) {
        into_.push_back({path, before, after});
        return;
      }
      least = place + 1;
      compare(old, item, path + "[" + std::string(found->first) + "]");
    }
  }

  std::vector<Difference>& into_;
};

/// The server keeps `stringData` of a Secret as `data`.
void store_texts(Tree& tree) {
  const NodeId texts = tree.find(tree.root(), "stringData");
  if (texts == kNoNode || !tree[texts].is_map()) return;
  NodeId data = tree.find(tree.root(), "data");
  if (data == kNoNode) {
    data = tree.add_map();
    tree.append(tree.root(), "data", data);
  }
  std::vector<std::pair<std::string_view, std::string_view>> entries;
  for (const View entry : Items(View(tree, texts))) entries.emplace_back(entry.key(), entry.text());
  for (const auto& [key, text] : entries) {
    const NodeId value = tree.add_string(tree.intern(base64(text)));
    const NodeId old = tree.find(data, key);
    if (old == kNoNode) {
      tree.append(data, key, value);
    } else {
      tree.replace(data, old, value);
    }
  }
  tree.remove(tree.root(), texts);
}

}  // namespace

std::vector<Difference> tree_differences(View before, View after) {
  if (equal(before.tree(), before.id(), after.tree(), after.id())) return {};
  std::vector<Difference> found = object_differences(before, after);
  std::erase_if(found, is_same_amount);
  OrderWalk(found).compare(before["spec"], after["spec"], "spec");
  return found;
}

std::string_view manager_of(SyncTool tool) {
  if (tool == SyncTool::ArgoCd) return "argocd-controller";
  return tool == SyncTool::Flux ? "kustomize-controller" : "trainyard";
}

Tree stored_form(View wanted, SchemaSources schemas) {
  Tree tree;
  tree.set_root(tree.copy(wanted.tree(), wanted.id()));
  const std::string_view version = string_at(wanted, "apiVersion");
  const std::string_view kind = string_at(wanted, "kind");
  const FoundKind found = find_kind(schemas, version, kind);
  if (found.kind != nullptr) {
    into_server_form(*found.source, *found.kind, tree, tree.root(), kNoOrigin);
  }
  if (kind == "Secret") store_texts(tree);
  return tree;
}

bool was_applied(View live, View before, std::string_view manager, std::string_view path) {
  if (before) return has_path(before, path);
  return std::ranges::any_of(owners_of(live, path), [manager](const FieldOwner& owner) {
    return owner.applies && owner.manager == manager;
  });
}

std::vector<Difference> live_differences(View live, View wanted, const WasWritten& was_written) {
  std::vector<Difference> found = object_differences(live, wanted);
  std::erase_if(found, [&](const Difference& each) {
    if (is_same_amount(each)) return true;
    if (!each.before) return says_nothing(each.after);
    return !each.after && !is_item_by_place(each.path) && !was_written(each.path);
  });
  OrderWalk(found).compare(live["spec"], wanted["spec"], "spec");
  return found;
}

}  // namespace trainyard
