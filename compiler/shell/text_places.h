#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "source/source_map.h"
#include "tree/tree.h"

namespace trainyard {

/// Where the text of a scalar begins in what a file has for it: behind the quote, or behind the
/// first line of a block.
std::size_t begin_of_text(std::string_view source);

/// Whether folding and indentation may add or take a character of a text.
constexpr bool is_layout(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// Where each character of a scalar's text stands in its file, for a document within the text.
class TextPlaces {
 public:
  TextPlaces(View text, const SourceMap& sources);

  /// The place of a part. An escape makes the text differ from the file: behind it, and for what is
  /// outside of the text, this is the place of the whole scalar.
  Span outer(Span inner) const;

 private:
  Span whole_;
  std::vector<std::uint32_t> places_;  // of characters up to the first escape, and of their end
};

}  // namespace trainyard
