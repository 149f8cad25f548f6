#pragma once

#include <string>

#include "diag/sink.h"
#include "source/source_map.h"
#include "tree/tree.h"

namespace trainyard {

/// Appends the value as JSON: one line when `indent` is 0. Numbers keep their text where JSON
/// allows it; `.inf` and `.nan`, which JSON lacks, become strings.
void write_json(const Tree& tree, NodeId root, std::string& out, int indent = 2);

}  // namespace trainyard
