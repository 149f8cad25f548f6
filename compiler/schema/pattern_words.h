#pragma once

#include <string_view>

namespace trainyard {

/// What a pattern of our own schemas asks for, as a person would say it: "an absolute path, such as
/// `/data`"; "" for a pattern of other schemas.
std::string_view pattern_words(std::string_view pattern);

}  // namespace trainyard
