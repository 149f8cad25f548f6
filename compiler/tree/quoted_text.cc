#include "tree/quoted_text.h"

#include <cstdint>

#include "tree/scalar_style.h"
#include "tree/utf8.h"

namespace trainyard {
namespace {

bool is_ordinary_ascii(char c) {
  return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
}

char short_escape(std::uint32_t c) {
  switch (c) {
    case '\b':
      return 'b';
    case '\t':
      return 't';
    case '\n':
      return 'n';
    case '\f':
      return 'f';
    case '\r':
      return 'r';
    case '"':
    case '\\':
      return static_cast<char>(c);
    default:
      return 0;
  }
}

/// Every character that needs an escape is in the basic plane, so four digits do.
void put_escape(TextBuffer& out, std::uint32_t c) {
  out.put('\\');
  if (const char letter = short_escape(c)) {
    out.put(letter);
    return;
  }
  constexpr char kHex[] = "0123456789abcdef";
  const char digits[] = {'u', kHex[c >> 12 & 15], kHex[c >> 8 & 15], kHex[c >> 4 & 15],
                         kHex[c & 15]};
  out.put(std::string_view(digits, sizeof digits));
}

}  // namespace

void put_double_quoted(TextBuffer& out, std::string_view text) {
  out.put('"');
  std::size_t run = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (is_ordinary_ascii(text[at])) {
      ++at;
      continue;
    }
    const CodePoint point = decode_utf8(text.substr(at));
    const bool special = point.value == '"' || point.value == '\\' || needs_escape(point.value);
    if (!point.valid || special) {
      out.put(text.substr(run, at - run));
      put_escape(out, point.value);
      run = at + point.length;
    }
    at += point.length;
  }
  out.put(text.substr(run));
  out.put('"');
}

}  // namespace trainyard
