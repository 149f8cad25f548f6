#include "shell/text_places.h"

#include <algorithm>

namespace trainyard {

std::size_t begin_of_text(std::string_view source) {
  if (source.starts_with('|') || source.starts_with('>')) {
    return std::min(source.find('\n'), source.size());
  }
  return source.starts_with('"') || source.starts_with('\'') ? 1 : 0;
}

// Folding and indentation change nothing but blanks: the characters between them are as they were.
TextPlaces::TextPlaces(View text, const SourceMap& sources) : whole_(text->span) {
  if (!whole_.known()) return;
  const std::string_view source = sources.text(whole_);
  std::size_t at = begin_of_text(source);
  for (char c : text->text) {
    if (!is_layout(c)) {
      while (at < source.size() && is_layout(source[at])) ++at;
      if (at == source.size() || source[at] != c) return;
    }
    places_.push_back(whole_.begin + static_cast<std::uint32_t>(at));
    if (!is_layout(c)) ++at;
  }
}

Span TextPlaces::outer(Span inner) const {
  if (!inner.known()) return inner;
  const std::size_t last = std::max(inner.begin + 1, inner.end) - 1;
  if (last >= places_.size()) return whole_;
  const std::uint32_t end = inner.end > inner.begin ? places_[last] + 1 : places_[inner.begin];
  return {whole_.file, places_[inner.begin], end};
}

}  // namespace trainyard
