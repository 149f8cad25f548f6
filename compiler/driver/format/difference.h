#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// A unified diff of two texts with three lines of context; "" when they are equal. A name of
/// `/dev/null` stands for a file that does not exist. Secrets are masked.
std::string difference(std::string_view old_name, std::string_view new_name,
                       std::string_view old_text, std::string_view new_text);

/// A line of a text that an older one does not have, and the line that it takes the place of, or
/// stands before. Both are one-based.
struct ChangedLine {
  std::uint32_t old_line = 0;
  std::uint32_t new_line = 0;
};
std::vector<ChangedLine> changed_lines(std::string_view old_text, std::string_view new_text);

}  // namespace trainyard
