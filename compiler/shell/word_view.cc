#include "shell/word_view.h"

#include <algorithm>
#include <string_view>

namespace trainyard {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::size_t count_of_marks(std::string_view text) {
  std::size_t count = 0;
  for (char c : text) count += is_blank(c) ? 0U : 1U;
  return count;
}

/// Behind the quote or the first line of a block, which are no part of the text.
std::size_t begin_of_text(std::string_view source) {
  if (source.starts_with('|') || source.starts_with('>')) {
    return std::min(source.find('\n'), source.size());
  }
  return source.starts_with('"') || source.starts_with('\'') ? 1 : 0;
}

}  // namespace

// Folding and indentation change nothing but blanks: the characters between them are counted.
std::optional<Span> place_of_word(const WordView& word, const SourceMap& sources) {
  if (!word || word.begin >= word.end || !word->span.known()) return std::nullopt;
  const std::string_view text = word->text;
  const std::string_view source = sources.text(word->span);
  // Each finding goes through the script from its beginning.
  constexpr std::size_t kFarthest = 65536;
  if (word.end > text.size() || word.end > kFarthest) return std::nullopt;
  std::size_t at = begin_of_text(source);
  for (std::size_t left = count_of_marks(text.substr(0, word.begin)); at < source.size(); ++at) {
    if (is_blank(source[at])) continue;
    if (left-- == 0) break;
  }
  const std::size_t begin = at;
  for (char c : text.substr(word.begin, word.end - word.begin)) {
    while (at < source.size() && is_blank(source[at])) ++at;
    if (is_blank(c)) continue;
    if (at == source.size() || source[at] != c) return std::nullopt;
    ++at;
  }
  const auto offset = [&](std::size_t place) {
    return word->span.begin + static_cast<std::uint32_t>(place);
  };
  return Span{word->span.file, offset(begin), offset(at)};
}

}  // namespace trainyard
