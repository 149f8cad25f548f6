#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// A unified diff of two texts with three lines of context; "" when they are equal. A name of
/// `/dev/null` stands for a file that does not exist. Secrets are masked.
std::string difference(std::string_view old_name, std::string_view new_name,
                       std::string_view old_text, std::string_view new_text);

}  // namespace trainyard
