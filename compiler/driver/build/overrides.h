#pragma once

#include "driver/build/compile.h"

namespace trainyard {

/// Merges what the language has no field for into the finished objects: `pod` into every pod
/// template, then `patches` into the objects of their kind. Each value keeps its line of the spec.
void open_escape_hatches(Session& session, const Document& document, Compilation& compilation);

}  // namespace trainyard
