#include "cel/code_points.h"

namespace trainyard::cel {
namespace {

struct Lead {
  std::uint8_t size;
  char32_t bits;
  char32_t least;  // below it a shorter form exists
};

std::optional<Lead> lead_of(unsigned char c) {
  if (c < 0x80) return Lead{1, c, 0};
  if (c >= 0xc2 && c < 0xe0) return Lead{2, static_cast<char32_t>(c & 0x1f), 0x80};
  if (c >= 0xe0 && c < 0xf0) return Lead{3, static_cast<char32_t>(c & 0x0f), 0x800};
  if (c >= 0xf0 && c < 0xf5) return Lead{4, static_cast<char32_t>(c & 0x07), 0x10000};
  return std::nullopt;
}

}  // namespace

CodePoint code_point_at(std::string_view text) {
  const auto lead = lead_of(static_cast<unsigned char>(text[0]));
  if (!lead || text.size() < lead->size) return {};
  char32_t value = lead->bits;
  for (std::size_t i = 1; i < lead->size; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0) != 0x80) return {};
    value = value << 6 | (byte & 0x3fU);
  }
  if (value < lead->least || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return {};
  return {value, lead->size, true};
}

void append_utf8(char32_t c, std::string& out) {
  const auto put = [&out](char32_t bits) { out += static_cast<char>(bits); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xc0 | c >> 6);
    put(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    put(0xe0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3f));
    put(0x80 | (c & 0x3f));
  } else {
    put(0xf0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3f));
    put(0x80 | (c >> 6 & 0x3f));
    put(0x80 | (c & 0x3f));
  }
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const CodePoint c = code_point_at(text);
    if (!c.valid) return false;
    text.remove_prefix(c.size);
  }
  return true;
}

std::size_t length_of(std::string_view text) {
  std::size_t length = 0;
  while (!text.empty()) {
    text.remove_prefix(code_point_at(text).size);
    ++length;
  }
  return length;
}

std::optional<std::size_t> byte_of(std::string_view text, std::size_t index) {
  std::size_t at = 0;
  for (; index > 0; --index) {
    if (at == text.size()) return std::nullopt;
    at += code_point_at(text.substr(at)).size;
  }
  return at;
}

bool is_space(char32_t c) {
  return (c >= 9 && c <= 13) || c == ' ' || c == 0x85 || c == 0xa0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f ||
         c == 0x3000;
}

}  // namespace trainyard::cel
