#pragma once

#include <algorithm>
#include <string_view>

namespace trainyard {

/// Calls `found` with name and word of each `name=word` of a list with commas; the word is "" where
/// there is no `=`.
template <class Found>
void each_severity_override(std::string_view list, const Found& found) {
  constexpr std::string_view kSpace = " \t\n";
  const auto trimmed = [kSpace](std::string_view text) {
    const std::size_t first = text.find_first_not_of(kSpace);
    if (first == std::string_view::npos) return std::string_view();
    return text.substr(first, text.find_last_not_of(kSpace) + 1 - first);
  };
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    const std::string_view item = trimmed(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
    if (item.empty()) continue;
    const std::size_t equals = std::min(item.find('='), item.size());
    found(trimmed(item.substr(0, equals)),
          equals == item.size() ? std::string_view() : trimmed(item.substr(equals + 1)));
  }
}

}  // namespace trainyard
