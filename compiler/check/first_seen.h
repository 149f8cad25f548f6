#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tree/tree.h"

namespace trainyard {

/// Values by a text that only one of them should have. What it costs grows with their number, not
/// with its square.
class FirstSeen {
 public:
  /// The first value with this text; an empty view when it is this one.
  View first(std::string_view text, View value) {
    if (by_text_.empty()) {
      for (const auto& [known, first] : few_) {
        if (known == text) return first;
      }
      if (few_.size() < kFew) {
        few_.emplace_back(text, value);
        return {};
      }
      by_text_.insert(few_.begin(), few_.end());
    }
    const auto [at, is_new] = by_text_.emplace(text, value);
    return is_new ? View() : at->second;
  }

 private:
  static constexpr std::size_t kFew = 16;
  std::vector<std::pair<std::string_view, View>> few_;  // searched while they are
  std::unordered_map<std::string_view, View> by_text_;
};

}  // namespace trainyard
