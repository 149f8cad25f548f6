#pragma once

#include <optional>
#include <string>

#include "cel/value.h"

namespace trainyard::cel {

/// What `string(x)` makes of a scalar; nothing for what has no text.
std::optional<std::string> text_of(const Value& value);

}  // namespace trainyard::cel
