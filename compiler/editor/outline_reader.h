#pragma once

#include <string_view>
#include <vector>

#include "editor/yaml_outline.h"

namespace trainyard {

/// The nodes of a text in the order in which they begin.
std::vector<OutlineNode> read_outline(std::string_view text);

}  // namespace trainyard
