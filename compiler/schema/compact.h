#pragma once

#include <functional>

#include "tree/tree.h"

namespace trainyard {

/// Turns a schema node into another before its keywords are copied; kNoNode to copy them as they
/// are. The node it returns is in the target tree and complete.
using Substitute = std::function<NodeId(View node, Tree& to)>;

/// A copy of a schema in `to`: the keywords that mean something, in a fixed order, without
/// description texts and without the `anyOf` that only says int-or-string again.
NodeId compact_schema(View schema, Tree& to, const Substitute& substitute = nullptr);

}  // namespace trainyard
