#pragma once

#include <string>

#include "source/source_map.h"
#include "tree/tree.h"

namespace trainyard {

/// An item of a list as a document of its own, with the comments that it has in the source and
/// those above it; where that cannot be cut out, as the writer has it.
std::string kept_text(View item, const SourceMap& sources);

}  // namespace trainyard
