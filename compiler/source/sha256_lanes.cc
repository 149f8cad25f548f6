// SHA-256 of eight texts at a time, for x86 processors with AVX2 (since 2013) that may have no
// instructions for it: each text has one of the eight words of every register.

#include "source/sha256_blocks.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

namespace trainyard {
namespace {

#define TRAINYARD_LANES __attribute__((target("avx2"))) inline

using Words = __m256i;  // the same word of each text

TRAINYARD_LANES Words added(Words a, Words b) {
  return _mm256_add_epi32(a, b);
}

template <int by>
TRAINYARD_LANES Words turned(Words x) {
  return _mm256_xor_si256(_mm256_srli_epi32(x, by), _mm256_slli_epi32(x, 32 - by));
}

TRAINYARD_LANES Words xor3(Words a, Words b, Words c) {
  return _mm256_xor_si256(_mm256_xor_si256(a, b), c);
}

/// Eight words of each of eight texts, big-endian: from one text in a register to one word in each.
TRAINYARD_LANES void turn_round(const char* const* texts, std::size_t at, Words* into) {
  const __m256i big_endian =
      _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203));
  Words rows[8], pairs[8];
  for (int i = 0; i < 8; ++i) {
    const auto* from = reinterpret_cast<const __m256i*>(texts[i] + at);
    rows[i] = _mm256_shuffle_epi8(_mm256_loadu_si256(from), big_endian);
  }
  for (int i = 0; i < 8; i += 2) {
    pairs[i] = _mm256_unpacklo_epi32(rows[i], rows[i + 1]);
    pairs[i + 1] = _mm256_unpackhi_epi32(rows[i], rows[i + 1]);
  }
  for (int i = 0; i < 8; i += 4) {
    rows[i] = _mm256_unpacklo_epi64(pairs[i], pairs[i + 2]);
    rows[i + 1] = _mm256_unpackhi_epi64(pairs[i], pairs[i + 2]);
    rows[i + 2] = _mm256_unpacklo_epi64(pairs[i + 1], pairs[i + 3]);
    rows[i + 3] = _mm256_unpackhi_epi64(pairs[i + 1], pairs[i + 3]);
  }
  for (int i = 0; i < 4; ++i) {
    into[i] = _mm256_permute2x128_si256(rows[i], rows[i + 4], 0x20);
    into[i + 4] = _mm256_permute2x128_si256(rows[i], rows[i + 4], 0x31);
  }
}

TRAINYARD_LANES Words next_word(const Words* before) {
  const Words a = before[1];
  const Words b = before[14];
  const Words sigma0 = xor3(turned<7>(a), turned<18>(a), _mm256_srli_epi32(a, 3));
  const Words sigma1 = xor3(turned<17>(b), turned<19>(b), _mm256_srli_epi32(b, 10));
  return added(added(before[0], sigma0), added(before[9], sigma1));
}

/// As sha256_round.
TRAINYARD_LANES void round(Words a, Words b, Words& differ, Words& d, Words e, Words f, Words g,
                           Words& h, Words word, std::uint32_t constant) {
  const Words sum = added(word, _mm256_set1_epi32(static_cast<int>(constant)));
  const Words chosen = _mm256_xor_si256(g, _mm256_and_si256(e, _mm256_xor_si256(f, g)));
  h = added(added(h, sum), added(chosen, xor3(turned<6>(e), turned<11>(e), turned<25>(e))));
  d = added(d, h);
  const Words next = _mm256_xor_si256(a, b);
  const Words most = _mm256_xor_si256(b, _mm256_and_si256(next, differ));
  h = added(h, added(most, xor3(turned<2>(a), turned<13>(a), turned<22>(a))));
  differ = next;
}

__attribute__((target("avx2"))) void compress(Sha256States& states, const char* const* blocks) {
  Words words[64];
  turn_round(blocks, 0, words);
  turn_round(blocks, 32, words + 8);
  for (int i = 16; i < 64; ++i) words[i] = next_word(words + i - 16);
  auto* const state = reinterpret_cast<Words*>(states.words);
  Words a = state[0], b = state[1], c = state[2], d = state[3];
  Words e = state[4], f = state[5], g = state[6], h = state[7];
  Words differ = _mm256_xor_si256(b, c);
  for (int i = 0; i < 64; i += 8) {
    const Words* const w = words + i;
    const std::uint32_t* const k = kSha256Rounds + i;
    round(a, b, differ, d, e, f, g, h, w[0], k[0]);
    round(h, a, differ, c, d, e, f, g, w[1], k[1]);
    round(g, h, differ, b, c, d, e, f, w[2], k[2]);
    round(f, g, differ, a, b, c, d, e, w[3], k[3]);
    round(e, f, differ, h, a, b, c, d, w[4], k[4]);
    round(d, e, differ, g, h, a, b, c, w[5], k[5]);
    round(c, d, differ, f, g, h, a, b, w[6], k[6]);
    round(b, c, differ, e, f, g, h, a, w[7], k[7]);
  }
  const Words result[] = {a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; ++i) state[i] = added(state[i], result[i]);
}

}  // namespace

Sha256CompressLanes sha256_compress_lanes() {
  return __builtin_cpu_supports("avx2") ? compress : nullptr;
}

}  // namespace trainyard

#else

namespace trainyard {

Sha256CompressLanes sha256_compress_lanes() {
  return nullptr;
}

}  // namespace trainyard

#endif
