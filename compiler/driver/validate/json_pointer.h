#pragma once

#include <optional>
#include <string>

#include "tree/tree.h"

namespace trainyard {

/// Why the operations of a JSON patch (RFC 6902) cannot be done on an object, as the end of a
/// sentence about it; nothing if they can, or if an earlier operation decides it. Of `replace`, a
/// missing entry is no fault, as for kustomize: it adds it.
std::optional<std::string> first_fault_of_patch(View operations, View object);

}  // namespace trainyard
