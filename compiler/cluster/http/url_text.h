#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// Percent-encoded, for a part of a path, a query or a name of a header.
std::string encoded(std::string_view text);

}  // namespace trainyard
