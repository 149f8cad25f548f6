#pragma once

#include "editor/message_values.h"
#include "editor/workspace.h"

namespace trainyard {

/// The documents, keys and items of a text, each within the one it belongs to: `DocumentSymbol[]`.
Json document_symbols(const OpenDocument& document, PositionUnit unit);

/// What goes over several lines: documents, maps, lists, texts and comments. `FoldingRange[]`.
Json folding_ranges(const OpenDocument& document);

}  // namespace trainyard
