#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cel/heap.h"

namespace trainyard {

/// A string of the schema as rules see it: a timestamp, a duration or bytes when its format says
/// so.
cel::Value rule_text(std::string_view format, std::string_view text, cel::Heap& heap);

/// What CEL's named formats and its library of URLs ask of a text (see cel::FormatCheck).
bool check_rule_format(std::string_view format, std::string_view text,
                       std::vector<std::string>& messages);

}  // namespace trainyard
