#pragma once

#include <cstddef>
#include <optional>

#include "source/source_map.h"
#include "tree/tree.h"

namespace trainyard {

/// A word of a script, and the scalar that it stands in; the whole scalar where there is no more
/// to say.
struct WordView : View {
  std::size_t begin = 0;  // in the scalar's text, with its quotes
  std::size_t end = 0;

  WordView() = default;
  WordView(View whole) : View(whole) {}
  WordView(View scalar, std::size_t from, std::size_t to) : View(scalar), begin(from), end(to) {}
};

/// Where a word is written. Nothing for a whole scalar, nor where escapes make the text another one
/// than the source has.
std::optional<Span> place_of_word(const WordView& word, const SourceMap& sources);

}  // namespace trainyard
