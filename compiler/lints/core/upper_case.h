#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// ASCII letters in capitals, all else as it is.
inline std::string in_capitals(std::string_view word) {
  std::string upper(word);
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return upper;
}

}  // namespace trainyard
