#include "source/base64.h"

#include <algorithm>
#include <cstdint>

namespace trainyard {
namespace {

#define TRAINYARD_LETTERS_AND_DIGITS \
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

std::string encoded(std::string_view bytes, std::string_view alphabet) {
  std::string result;
  result.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      group = group << 8 | (i < left ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      result += i <= left ? alphabet[group >> (18 - 6 * i) & 63] : '=';
    }
  }
  return result;
}

}  // namespace

std::string base64(std::string_view bytes) {
  return encoded(bytes, TRAINYARD_LETTERS_AND_DIGITS "+/");
}

std::string base64_url(std::string_view bytes) {
  return encoded(bytes, TRAINYARD_LETTERS_AND_DIGITS "-_");
}

std::optional<std::string> from_base64(std::string_view text) {
  constexpr std::string_view kAlphabet = TRAINYARD_LETTERS_AND_DIGITS "+/";
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t group = 0;
  std::size_t digits = 0;
  std::size_t padding = 0;
  for (const char c : text) {
    if (c == '\n' || c == '\r') continue;
    const std::size_t value = c == '=' ? 0 : kAlphabet.find(c);
    if (value == kAlphabet.npos || (c != '=' && padding != 0)) return std::nullopt;
    padding += c == '=' ? 1U : 0U;
    group = group << 6 | static_cast<std::uint32_t>(value);
    if (++digits % 4 != 0) continue;
    for (const unsigned shift : {16U, 8U, 0U}) bytes += static_cast<char>(group >> shift & 255U);
    group = 0;
  }
  if (digits % 4 != 0 || padding > 2) return std::nullopt;
  bytes.resize(bytes.size() - padding);
  return bytes;
}

}  // namespace trainyard
