#pragma once

#include <string>

#include "tree/tree.h"

namespace trainyard {

/// Appends `text` as a JSON string.
void append_json_string(std::string_view text, std::string& out);

/// Appends a value as JSON on one line, without spaces: the form that packs keep.
void append_json(const Tree& tree, NodeId id, std::string& out);

/// Appends a value as JSON for files that people diff: a collection that fits on its line stays
/// there, others have one entry per line, indented by one space.
void append_json_lines(const Tree& tree, NodeId id, std::string& out);

}  // namespace trainyard
