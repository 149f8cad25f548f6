#pragma once

#include "tree/tree.h"

namespace trainyard {

/// Where a reader looks for a value: at itself, but a map or list in block style begins with its
/// first entry, which is not what is meant, so there its key is the place.
inline Span heading(const Node& node) {
  const bool spreads = !node.is_scalar() && node.style == Style::Block;
  return spreads && node.key_span.known() ? node.key_span : node.span;
}

}  // namespace trainyard
