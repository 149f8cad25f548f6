#include "diag/glyph.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

namespace trainyard {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// From Unicode's EastAsianWidth.txt (W and F), neighbouring blocks joined.
constexpr Range kWide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x23e9, 0x23ec},   {0x2e80, 0x303e},
    {0x3041, 0xa4cf},   {0xa960, 0xa97f},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},
    {0xfe30, 0xfe6f},   {0xff01, 0xff60},   {0xffe0, 0xffe6},   {0x16fe0, 0x18aff},
    {0x1b000, 0x1b2ff}, {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff},
    {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
};

constexpr Range kCombining[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x0610, 0x061a}, {0x064b, 0x065f},
    {0x0900, 0x0902}, {0x093c, 0x093c}, {0x0941, 0x0948}, {0x094d, 0x094d}, {0x0e31, 0x0e31},
    {0x0e34, 0x0e3a}, {0x0e47, 0x0e4e}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200c, 0x200d},
    {0x20d0, 0x20ff}, {0x3099, 0x309a}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xe0100, 0xe01ef},
};

// C1 controls, and what reorders, splits or hides text (zero-width, bidirectional, separators,
// tags).
constexpr Range kUnsafe[] = {
    {0x0080, 0x009f}, {0x00ad, 0x00ad}, {0x061c, 0x061c},   {0x180e, 0x180e},
    {0x200b, 0x200b}, {0x200e, 0x200f}, {0x2028, 0x202e},   {0x2060, 0x206f},
    {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f},
};

template <std::size_t size>
bool contains(const Range (&ranges)[size], char32_t c) {
  const auto after =
      std::upper_bound(std::begin(ranges), std::end(ranges), c,
                       [](char32_t value, Range range) { return value < range.first; });
  return after != std::begin(ranges) && c <= std::prev(after)->last;
}

struct Decoded {
  char32_t value;
  std::size_t bytes;  // 0 when the bytes are not UTF-8
};

std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  return 0;
}

Decoded decode(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t length = sequence_length(lead);
  if (length <= 1) return {lead, length};
  if (at + length > text.size()) return {0, 0};
  char32_t value = lead & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[at + i]);
    if ((byte & 0xc0) != 0x80) return {0, 0};
    value = (value << 6) | (byte & 0x3f);
  }
  constexpr std::array<char32_t, 5> smallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < smallest[length] || surrogate || value > 0x10ffff) return {0, 0};
  return {value, length};
}

/// `<U+202E>`.
std::string named(char32_t c) {
  char digits[8];
  const auto end =
      std::to_chars(std::begin(digits), std::end(digits), static_cast<unsigned>(c), 16).ptr;
  std::string hex(digits, end);
  for (char& digit : hex) {
    if (digit >= 'a') digit = static_cast<char>(digit - 'a' + 'A');
  }
  if (hex.size() < 4) hex.insert(0, 4 - hex.size(), '0');
  return "<U+" + hex + ">";
}

/// The picture that Unicode has for an ASCII control character: U+2400 and on, U+2421 for DEL.
std::string control_picture(char32_t c) {
  const auto last = static_cast<char>(c == 0x7f ? 0xa1 : 0x80 + c);
  return {'\xe2', '\x90', last};
}

/// Printable ASCII, which nearly all text is.
bool is_plain(char c) {
  return c >= ' ' && c <= '~';
}

/// Where the plain characters that begin at `at` end.
std::size_t after_plain(std::string_view text, std::size_t at) {
  while (at < text.size() && is_plain(text[at])) ++at;
  return at;
}

}  // namespace

Glyph glyph_at(std::string_view text, std::size_t at) {
  if (is_plain(text[at])) return {1, 1, std::string(1, text[at])};
  const auto [c, bytes] = decode(text, at);
  if (bytes == 0) return {1, 1, "\xef\xbf\xbd"};  // U+FFFD
  if (c == '\t') return {1, 4, "    "};
  if (c < 0x20 || c == 0x7f) return {1, 1, control_picture(c)};
  if (contains(kUnsafe, c)) {
    std::string name = named(c);
    const std::size_t width = name.size();
    return {bytes, width, std::move(name)};
  }
  const std::size_t width = contains(kWide, c) ? 2 : contains(kCombining, c) ? 0 : 1;
  return {bytes, width, std::string(text.substr(at, bytes))};
}

std::size_t glyph_start(std::string_view text, std::size_t at) {
  for (std::size_t back = 0; back <= 3 && back <= at; ++back) {
    const std::size_t length = at < text.size() ? decode(text, at - back).bytes : 0;
    if (length > back) return at - back;
  }
  return at;
}

std::size_t previous_glyph(std::string_view text, std::size_t at) {
  return glyph_start(text, at - 1);
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = after_plain(text, 0);
  for (std::size_t at = columns; at < text.size();) {
    const Glyph glyph = glyph_at(text, at);
    columns += glyph.width;
    at += glyph.bytes;
  }
  return columns;
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string result;
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) {
    const std::size_t plain = std::min(after_plain(text, at) - at, limit - count);
    result += text.substr(at, plain);
    at += plain;
    count += plain;
    if (at == text.size()) break;
    if (count == limit) return result + "…";
    const Glyph glyph = glyph_at(text, at);
    result += glyph.text;
    at += glyph.bytes;
  }
  return result;
}

std::string printable_lines(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t plain = after_plain(text, at);
    result += text.substr(at, plain - at);
    at = plain;
    if (at == text.size()) break;
    if (text[at] == '\n' || text[at] == '\t') {
      result += text[at++];
      continue;
    }
    const Glyph glyph = glyph_at(text, at);
    result += glyph.text;
    at += glyph.bytes;
  }
  return result;
}

}  // namespace trainyard
