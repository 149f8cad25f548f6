#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace trainyard {

/// What a terminal may be given for one code point of text that we did not write.
///
/// Tabs are four columns wherever they stand; control characters, bidirectional overrides and bytes
/// that are not UTF-8 are replaced by something that can be seen and cannot be obeyed.
struct Glyph {
  std::size_t bytes;  // of the text that it stands for; never 0
  std::size_t width;  // in columns: 0 for a combining mark, 2 for East Asian wide
  std::string text;
};

/// `at` must be inside of `text`.
Glyph glyph_at(std::string_view text, std::size_t at);
/// Where the code point before `at` starts; `at` must not be 0.
std::size_t previous_glyph(std::string_view text, std::size_t at);
/// Where the code point that holds the byte `at` starts.
std::size_t glyph_start(std::string_view text, std::size_t at);

/// How many columns `text` takes.
std::size_t columns_of(std::string_view text);
/// `text` on one line, fit for a terminal, cut with `…` after `limit` code points.
std::string printable(std::string_view text, std::size_t limit = 2000);
/// The same for several lines of any length: line breaks and tabs stay.
std::string printable_lines(std::string_view text);

}  // namespace trainyard
