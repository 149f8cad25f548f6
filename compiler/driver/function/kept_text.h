#pragma once

#include <string>
#include <string_view>

#include "source/source_map.h"
#include "tree/tree.h"

namespace trainyard {

/// The text of a document as an item of a list that stands at the left margin.
std::string as_item(std::string_view document);

/// An item of a list, moved to the left margin, with the comments that it has in the source and
/// those above it; where that cannot be cut out, as the writer has it.
std::string kept_text(View item, const SourceMap& sources);

}  // namespace trainyard
