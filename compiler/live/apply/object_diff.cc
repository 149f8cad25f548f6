#include "live/apply/object_diff.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "diag/credentials.h"
#include "diag/foreign_text.h"
#include "tree/entry_index.h"
#include "tree/json.h"

namespace trainyard {
namespace {

// kubernetes/apimachinery pkg/apis/meta/v1/types.go, ObjectMeta
constexpr std::array<std::string_view, 7> kOfTheServer = {
    "creationTimestamp", "generation", "managedFields",    "resourceVersion",
    "selfLink",          "uid",        "deletionTimestamp"};
constexpr std::string_view kMask = "••••";

class Differ {
 public:
  explicit Differ(bool is_secret) : is_secret_(is_secret) {}

  void objects(View before, View after) {
    compare_maps(before, after, [](std::string_view key) { return key == "status"; });
  }
  std::vector<FieldChange> take() { return std::move(changes_); }

 private:
  void compare(View before, View after) {
    if (!before || !after || before->kind != after->kind) {
      if (before && after && before.is_scalar() && before.text() == after.text()) return;
      return add(before, after);
    }
    if (before->is_map()) {
      const bool metadata = path_ == "metadata";
      return compare_maps(before, after, [metadata](std::string_view key) {
        return metadata && std::ranges::find(kOfTheServer, key) != kOfTheServer.end();
      });
    }
    if (before->is_seq()) return compare_lists(before, after);
    if (before.text() != after.text()) add(before, after);
  }

  template <typename Skip>
  void compare_maps(View before, View after, Skip skip) {
    const EntryIndex old(before);
    const EntryIndex next(after);
    for (View entry = before.first(); entry; entry = entry.next()) {
      if (!skip(entry.key())) below(field(entry.key()), entry, next[entry.key()]);
    }
    for (View entry = after.first(); entry; entry = entry.next()) {
      if (!skip(entry.key()) && !old[entry.key()]) below(field(entry.key()), View(), entry);
    }
  }

  void compare_lists(View before, View after) {
    for (const std::string_view key : {"name", "key", "type"}) {
      Items old;
      Items next;
      if (fill(before, key, old) && fill(after, key, next)) return compare_items(old, next);
    }
    compare_by_place(before, after);
  }

  /// The items of a list by a key that each has with a value of its own.
  struct Items {
    std::vector<std::pair<std::string_view, View>> in_order;
    std::unordered_map<std::string_view, View> by_key;

    View find(std::string_view key) const {
      const auto found = by_key.find(key);
      return found == by_key.end() ? View() : found->second;
    }
  };

  static bool fill(View list, std::string_view key, Items& items) {
    for (View item = list.first(); item; item = item.next()) {
      const std::string_view text = item->is_map() ? item[key].text() : std::string_view();
      if (text.empty() || !items.by_key.emplace(text, item).second) return false;
      items.in_order.emplace_back(text, item);
    }
    return true;
  }

  void compare_items(const Items& old, const Items& next) {
    for (const auto& [key, item] : old.in_order) {
      below("[" + std::string(key) + "]", item, next.find(key));
    }
    for (const auto& [key, item] : next.in_order) {
      if (!old.find(key)) below("[" + std::string(key) + "]", View(), item);
    }
  }

  void compare_by_place(View before, View after) {
    View left = before.first();
    View right = after.first();
    for (std::size_t i = 0; left || right; ++i) {
      below("[" + std::to_string(i) + "]", left, right);
      if (left) left = left.next();
      if (right) right = right.next();
    }
  }

  static std::string field(std::string_view key) {
    const bool plain = std::ranges::none_of(
        key, [](char c) { return c == '.' || c == '/' || c == '[' || c == ' '; });
    return plain ? "." + std::string(key) : "[" + std::string(key) + "]";
  }

  void below(const std::string& step, View before, View after) {
    const std::size_t length = path_.size();
    path_ += path_.empty() && step.starts_with('.') ? step.substr(1) : step;
    compare(before, after);
    path_.resize(length);
  }

  void add(View before, View after) { changes_.push_back({path_, value(before), value(after)}); }

  std::string value(View view) const {
    if (!view) return {};
    const bool of_secret = is_secret_ && !path_.starts_with("metadata");
    if (of_secret || is_credential(view)) return std::string(kMask);
    std::string text;
    if (view.is_scalar() && view->kind == Kind::String && !view.text().empty()) {
      text = view.text();
    } else {
      write_json(view.tree(), view.id(), text, 0);
    }
    return foreign_text(text);
  }

  /// By the name of its field, or of the variable whose value it is.
  bool is_credential(View view) const {
    if (!view.is_scalar()) return false;
    std::string_view name = path_;
    if (name.ends_with("].value")) name.remove_suffix(std::string_view("].value").size());
    const std::size_t begin = name.find_last_of(".[");
    if (begin != std::string_view::npos) name.remove_prefix(begin + 1);
    if (name.ends_with(']')) name.remove_suffix(1);
    return is_named_credential(name, view.text());
  }

  bool is_secret_;
  std::string path_;
  std::vector<FieldChange> changes_;
};

}  // namespace

std::vector<FieldChange> changes_between(View before, View after) {
  Differ differ(after["kind"].text() == "Secret" || before["kind"].text() == "Secret");
  differ.objects(before, after);
  return differ.take();
}

}  // namespace trainyard
