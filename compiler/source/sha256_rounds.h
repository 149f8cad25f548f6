#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace trainyard {

/// Three rotations that are combined, each by so much more than the one before.
[[gnu::always_inline]] inline std::uint32_t rotated(std::uint32_t x, int first, int second,
                                                    int third) {
  return std::rotr(std::rotr(std::rotr(x, third) ^ x, second) ^ x, first);
}

/// One round. The letters move on by one from round to round: the caller renames them instead.
/// `differ` is `b ^ c`, and for the next round `a ^ b`.
[[gnu::always_inline]] inline void sha256_round(std::uint32_t a, std::uint32_t b,
                                                std::uint32_t& differ, std::uint32_t& d,
                                                std::uint32_t e, std::uint32_t f, std::uint32_t g,
                                                std::uint32_t& h, std::uint32_t sum) {
  h += sum + (g ^ (e & (f ^ g))) + rotated(e, 6, 5, 14);  // by 6, 11 and 25
  d += h;
  const std::uint32_t next = a ^ b;
  h += rotated(a, 2, 11, 9) + (b ^ (next & differ));  // by 2, 13 and 22; what two of three say
  differ = next;
}

/// All rounds of a block, in the instructions of the caller. `sums` are the words of the message
/// with the constants of their rounds: four, and from there to the next four it is `step` words.
template <std::size_t step>
[[gnu::always_inline]] inline void sha256_rounds(std::uint32_t* state, const std::uint32_t* sums) {
  std::uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
  std::uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
  std::uint32_t differ = b ^ c;
  for (std::size_t i = 0; i < 64; i += 8, sums += 2 * step) {
    sha256_round(a, b, differ, d, e, f, g, h, sums[0]);
    sha256_round(h, a, differ, c, d, e, f, g, sums[1]);
    sha256_round(g, h, differ, b, c, d, e, f, sums[2]);
    sha256_round(f, g, differ, a, b, c, d, e, sums[3]);
    sha256_round(e, f, differ, h, a, b, c, d, sums[step]);
    sha256_round(d, e, differ, g, h, a, b, c, sums[step + 1]);
    sha256_round(c, d, differ, f, g, h, a, b, sums[step + 2]);
    sha256_round(b, c, differ, e, f, g, h, a, sums[step + 3]);
  }
  const std::uint32_t result[] = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += result[i];
}

}  // namespace trainyard
