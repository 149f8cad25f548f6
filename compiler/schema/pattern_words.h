#pragma once

#include <string_view>

namespace trainyard {

/// What a pattern of our own schemas asks for, as a person would say it: "an absolute path, such as
/// `/data`"; "" for the pattern of someone else.
std::string_view pattern_words(std::string_view pattern);

}  // namespace trainyard
