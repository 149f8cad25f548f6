#pragma once

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace trainyard {

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

inline bool is_one_of(std::string_view word, std::span<const std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}
inline bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

inline bool is_all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

/// What stands behind the last slash of a path, or all of it.
inline std::string_view last_step(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

/// A text in backticks, however long: of a name that has a bound. Others go through `shown`.
inline std::string in_backticks(std::string_view text) {
  return "`" + std::string(text) + "`";
}

}  // namespace trainyard
