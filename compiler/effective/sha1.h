#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// SHA-1 (FIPS 180-4) of a text, 40 characters in lower case: controllers put it into labels.
std::string sha1_hex(std::string_view text);

}  // namespace trainyard
