#pragma once

#include <string>

#include "source/span.h"
#include "tree/tree.h"

namespace trainyard {

/// The field below `root` that stands at a place, or whose key does: `spec.replicas`; "" where
/// there is none.
std::string path_at(View root, Span span);

}  // namespace trainyard
