#include "tree/yaml_escapes.h"

#include <algorithm>

namespace trainyard {
namespace {

/// Bytes of the UTF-8 sequence that `lead` starts; 1 also for a byte that can start none.
std::size_t sequence_length(unsigned char lead) {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  if (lead >= 0xc0) return 2;
  return 1;
}

}  // namespace

bool has_latin1_escape(std::string_view quoted) {
  std::size_t at = quoted.find('\\');
  while (at != std::string_view::npos && at + 1 < quoted.size()) {
    if (quoted[at + 1] == 'N' || quoted[at + 1] == '_') return true;
    at = quoted.find('\\', at + 2);
  }
  return false;
}

std::string latin1_escapes_as_utf8(std::string_view value) {
  std::string result;
  for (std::size_t at = 0; at < value.size();) {
    const auto byte = static_cast<unsigned char>(value[at]);
    // The sequences of the source are whole, so a byte that cannot start one is an escape's.
    if (byte == 0x85 || byte == 0xa0) result += '\xc2';
    const std::size_t length = std::min(sequence_length(byte), value.size() - at);
    result += value.substr(at, length);
    at += length;
  }
  return result;
}

char unescape(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case '"':
    case '\\':
    case '/':
      return c;
    default:
      return '\0';
  }
}

}  // namespace trainyard
