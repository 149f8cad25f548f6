#include "tree/differences.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "tree/entry_index.h"

namespace trainyard {
namespace {

class Walk {
 public:
  Walk(std::string path, std::vector<Difference>& into) : path_(std::move(path)), into_(into) {}

  void compare(View before, View after) {
    if (!before && !after) return;
    if (!before || !after || before->kind != after->kind) return add(before, after);
    if (before->is_map()) return compare_maps(before, after);
    if (before->is_seq()) return compare_lists(before, after);
    if (before.text() != after.text()) add(before, after);
  }

 private:
  void compare_maps(View before, View after) {
    const EntryIndex old(before);
    const EntryIndex next(after);
    for (View entry = before.first(); entry; entry = entry.next()) {
      below(field(entry.key()), entry, next[entry.key()]);
    }
    for (View entry = after.first(); entry; entry = entry.next()) {
      if (!old[entry.key()]) below(field(entry.key()), View(), entry);
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

  void add(View before, View after) { into_.push_back({path_, before, after}); }

  std::string path_;
  std::vector<Difference>& into_;
};

}  // namespace

void append_differences(View before, View after, const std::string& path,
                        std::vector<Difference>& into) {
  Walk(path, into).compare(before, after);
}

}  // namespace trainyard
