#include "driver/plan/sync_diff.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <utility>

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

/// The next step of a path such as `spec.containers[main].image`, which loses it.
struct Step {
  std::string_view name;
  bool in_brackets = false;
};
Step take_step(std::string_view& path) {
  if (path.starts_with('.')) path.remove_prefix(1);
  if (path.starts_with('[')) {
    const std::size_t end = std::min(path.find(']'), path.size());
    const Step step{path.substr(1, end - 1), true};
    path.remove_prefix(std::min(end + 1, path.size()));
    return step;
  }
  const std::size_t end = std::min(path.find_first_of(".["), path.size());
  const Step step{path.substr(0, end), false};
  path.remove_prefix(end);
  return step;
}

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
    const Step step = take_step(path);
    at = at->is_seq() ? item_of(at, step.name) : get(at, step.name);
  }
  return static_cast<bool>(at);
}

/// Whether `fields`, as managedFields has them, own the field at a path.
/// kubernetes-sigs/structured-merge-diff fieldpath/serialize-pe.go
bool owns(View fields, std::string_view path) {
  while (fields && !path.empty()) {
    const Step step = take_step(path);
    View next = fields["f:" + std::string(step.name)];
    if (!next && step.in_brackets) {
      const std::string value = ":\"" + std::string(step.name) + "\"";
      for (const View entry : Items(fields)) {
        if (entry.key().starts_with("k:") && entry.key().find(value) != std::string_view::npos) {
          next = entry;
        }
      }
    }
    if (!next) return fields->is_map() && fields->size == 0;  // it owns all below
    fields = next;
  }
  return static_cast<bool>(fields);
}

/// argoproj/argo-cd common/common.go; fluxcd/kustomize-controller main.go
std::string_view manager_of(SyncTool tool) {
  if (tool == SyncTool::ArgoCd) return "argocd-controller";
  return tool == SyncTool::Flux ? "kustomize-controller" : "trainyard";
}

bool is_owned(View live, std::string_view path, std::string_view manager) {
  for (const View entry : items_at(get(live, "metadata"), "managedFields")) {
    if (string_at(entry, "manager") == manager && string_at(entry, "operation") == "Apply" &&
        owns(get(entry, "fieldsV1"), path)) {
      return true;
    }
  }
  return false;
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

std::vector<Difference> live_differences(View live, View wanted, View before, SyncTool tool) {
  std::vector<Difference> found = object_differences(live, wanted);
  const std::string_view manager = manager_of(tool);
  std::erase_if(found, [&](const Difference& each) {
    if (is_same_amount(each)) return true;
    if (!each.before) return says_nothing(each.after);
    if (each.after) return false;
    if (is_item_by_place(each.path)) return false;
    const bool was_applied =
        before ? has_path(before, each.path) : is_owned(live, each.path, manager);
    return !was_applied;
  });
  OrderWalk(found).compare(live["spec"], wanted["spec"], "spec");
  return found;
}

}  // namespace trainyard
