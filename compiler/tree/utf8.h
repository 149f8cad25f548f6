#pragma once

#include <cstdint>
#include <string_view>

namespace trainyard {

struct CodePoint {
  std::uint32_t value = 0xFFFD;
  std::uint32_t length = 1;  // in bytes; at least one, so that a reader always moves on
  bool valid = false;
};

/// The code point at the start of `text`, which is not empty. Overlong forms, surrogates and
/// anything above U+10FFFF are invalid and take one byte.
CodePoint decode_utf8(std::string_view text);

/// True when the bytes are UTF-8 without NUL: what can stand in a string of a manifest.
bool is_utf8_text(std::string_view bytes);

}  // namespace trainyard
