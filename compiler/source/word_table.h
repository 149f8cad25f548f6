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
  // No `find`: g++ does not take it for a constant where it adds sanitizers.
  std::size_t end = 0;
  for (std::string_view& word : words) {
    const std::size_t begin = end;
    while (end < list.view().size() && list.text[end] != ' ') ++end;
    word = list.view().substr(begin, end++ - begin);
  }
  return words;
}();

}  // namespace trainyard
