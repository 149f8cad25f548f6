#include "diag/secret_text.h"

#include <algorithm>

namespace trainyard::secret_text {

std::size_t behind_properties(std::string_view text, std::size_t begin) {
  constexpr int kMost = 2;
  for (int i = 0; i < kMost && begin < text.size(); ++i) {
    if (text[begin] != '&' && text[begin] != '!') break;
    const std::size_t length = text.substr(begin, kLongestName).find_first_of(" \t\r\n");
    if (length == std::string_view::npos) break;
    begin = std::min(text.find_first_not_of(" \t", begin + length), text.size());
  }
  return begin;
}

std::string_view anchor_at(std::string_view text, std::size_t begin) {
  const std::string_view rest = text.substr(begin, kLongestName);
  return rest.substr(0, rest.find_first_of(" \t\r\n,[]{}"));
}

}  // namespace trainyard::secret_text
