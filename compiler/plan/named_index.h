#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace trainyard {

/// Finds items of a list by their `name`, also those that are appended meanwhile. A long list gets
/// an index: what it costs to find all items grows with their number, not with its square.
template <class Item>
class NamedIndex {
 public:
  /// The list must outlive it.
  explicit NamedIndex(const std::vector<Item>& list) : list_(list) {}

  /// The first item of this name; null when there is none.
  const Item* find(std::string_view name) {
    if (list_.size() <= kFew) {
      for (const Item& item : list_) {
        if (item.name == name) return &item;
      }
      return nullptr;
    }
    for (; indexed_ < list_.size(); ++indexed_) by_name_.emplace(list_[indexed_].name, indexed_);
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : &list_[found->second];
  }

 private:
  static constexpr std::size_t kFew = 16;
  const std::vector<Item>& list_;
  std::size_t indexed_ = 0;  // items from the first
  std::unordered_map<std::string_view, std::size_t> by_name_;
};

}  // namespace trainyard
