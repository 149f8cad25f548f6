#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trainyard::cel {

/// The code point at the front of `text`, and its length in bytes. What is not UTF-8 counts as one
/// byte and reads as U+FFFD.
struct CodePoint {
  char32_t value = 0xfffd;
  std::uint8_t size = 1;
  bool valid = false;
};
CodePoint code_point_at(std::string_view text);

void append_utf8(char32_t c, std::string& out);
bool is_utf8(std::string_view text);

/// The number of code points.
std::size_t length_of(std::string_view text);
/// The byte at which code point `index` begins; the size of the text for its end; nothing beyond.
std::optional<std::size_t> byte_of(std::string_view text, std::size_t index);

/// White space as Unicode has it.
bool is_space(char32_t c);

}  // namespace trainyard::cel
