#include "shell/word_view.h"

#include <algorithm>
#include <string_view>

#include "shell/text_places.h"

namespace trainyard {
namespace {

std::size_t count_of_marks(std::string_view text) {
  std::size_t count = 0;
  for (char c : text) count += is_layout(c) ? 0U : 1U;
  return count;
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
    if (is_layout(source[at])) continue;
    if (left-- == 0) break;
  }
  const std::size_t begin = at;
  for (char c : text.substr(word.begin, word.end - word.begin)) {
    while (at < source.size() && is_layout(source[at])) ++at;
    if (is_layout(c)) continue;
    if (at == source.size() || source[at] != c) return std::nullopt;
    ++at;
  }
  const auto offset = [&](std::size_t place) {
    return word->span.begin + static_cast<std::uint32_t>(place);
  };
  return Span{word->span.file, offset(begin), offset(at)};
}

}  // namespace trainyard
