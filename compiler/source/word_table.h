#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace trainyard {

/// A text that is the argument of a template.
template <std::size_t size>
struct ConstantText {
  char text[size]{};

  consteval ConstantText(const char (&written)[size]) { std::ranges::copy(written, text); }
  constexpr std::string_view view() const { return {text, size - 1}; }
};

/// The words of a text as an array: long lists of names take a few lines so, not one line for each
/// name. One blank stands between two words.
template <ConstantText list>
inline constexpr auto word_table = [] {
  constexpr auto count = std::ranges::count(list.view(), ' ') + 1;
  std::array<std::string_view, static_cast<std::size_t>(count)> words;
  std::string_view rest = list.view();
  for (std::string_view& word : words) {
    word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
  }
  return words;
}();

}  // namespace trainyard
