#include "effective/sha1.h"

#include <array>
#include <bit>
#include <cstdint>

namespace trainyard {
namespace {

constexpr std::size_t kBlock = 64;  // bytes

using State = std::array<std::uint32_t, 5>;

void compress(State& state, const char* block) {
  std::array<std::uint32_t, 80> words{};
  for (std::size_t i = 0; i < 16; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      words[i] = words[i] << 8 | static_cast<unsigned char>(block[4 * i + j]);
    }
  }
  for (std::size_t i = 16; i < words.size(); ++i) {
    words[i] = std::rotl(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
  }
  auto [a, b, c, d, e] = state;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint32_t mixed = i < 20   ? ((b & c) | (~b & d)) + 0x5a827999u
                                : i < 40 ? (b ^ c ^ d) + 0x6ed9eba1u
                                : i < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdcu
                                         : (b ^ c ^ d) + 0xca62c1d6u;
    const std::uint32_t next = std::rotl(a, 5) + mixed + e + words[i];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d, state[4] + e};
}

}  // namespace

std::string sha1_hex(std::string_view text) {
  std::string padded(text);
  padded += '\x80';
  while (padded.size() % kBlock != kBlock - 8) padded += '\0';
  const std::uint64_t bits = std::uint64_t{8} * text.size();
  for (int shift = 56; shift >= 0; shift -= 8) padded += static_cast<char>(bits >> shift & 0xff);
  State state = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u};
  for (std::size_t at = 0; at < padded.size(); at += kBlock) compress(state, padded.data() + at);
  std::string hex;
  for (std::uint32_t word : state) {
    for (int shift = 28; shift >= 0; shift -= 4) hex += "0123456789abcdef"[word >> shift & 0xf];
  }
  return hex;
}

}  // namespace trainyard
