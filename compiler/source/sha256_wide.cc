// SHA-256 for x86 processors with AVX2 and BMI2 (since 2013) that may have no instructions for it.
// The message words of two blocks are made at a time, four words of each side by side.

#include "source/sha256_blocks.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#include "source/sha256_rounds.h"

namespace trainyard {
namespace {

#define TRAINYARD_WIDE __attribute__((target("avx2,bmi,bmi2")))

TRAINYARD_WIDE __m256i small_sigma0(__m256i x) {
  const __m256i by7 = _mm256_xor_si256(_mm256_srli_epi32(x, 7), _mm256_slli_epi32(x, 25));
  const __m256i by18 = _mm256_xor_si256(_mm256_srli_epi32(x, 18), _mm256_slli_epi32(x, 14));
  return _mm256_xor_si256(_mm256_xor_si256(by7, by18), _mm256_srli_epi32(x, 3));
}

/// Of two words that stand twice each: a shift of such a pair is a rotation. Words 0 and 2 are the
/// results.
TRAINYARD_WIDE __m256i small_sigma1(__m256i twice) {
  const __m256i turned =
      _mm256_xor_si256(_mm256_srli_epi64(twice, 17), _mm256_srli_epi64(twice, 19));
  return _mm256_xor_si256(turned, _mm256_srli_epi32(twice, 10));
}

/// The message words 16 to 19 after the sixteen that these four hold.
TRAINYARD_WIDE __m256i next_words(__m256i a, __m256i b, __m256i c, __m256i d) {
  const __m256i to_low = _mm256_set_epi64x(-1, 0x0b0a090803020100, -1, 0x0b0a090803020100);
  const __m256i to_high = _mm256_set_epi64x(0x0b0a090803020100, -1, 0x0b0a090803020100, -1);
  __m256i next = _mm256_add_epi32(a, _mm256_alignr_epi8(d, c, 4));
  next = _mm256_add_epi32(next, small_sigma0(_mm256_alignr_epi8(b, a, 4)));
  // The second two need the first two.
  const __m256i first = small_sigma1(_mm256_shuffle_epi32(d, 0xfa));
  next = _mm256_add_epi32(next, _mm256_shuffle_epi8(first, to_low));
  const __m256i second = small_sigma1(_mm256_shuffle_epi32(next, 0x50));
  return _mm256_add_epi32(next, _mm256_shuffle_epi8(second, to_high));
}

TRAINYARD_WIDE __m128i load(const void* from) {
  return _mm_loadu_si128(static_cast<const __m128i*>(from));
}

/// What the rounds of two blocks take: four words of the one, four of the other, and so on.
struct Sums {
  alignas(32) std::uint32_t words[128];

  TRAINYARD_WIDE Sums(const char* one, const char* other) {
    const __m256i big_endian =
        _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203));
    __m256i recent[4];
    for (std::size_t i = 0; i < 4; ++i) {
      const __m256i both = _mm256_inserti128_si256(_mm256_castsi128_si256(load(one + 16 * i)),
                                                   load(other + 16 * i), 1);
      recent[i] = _mm256_shuffle_epi8(both, big_endian);
    }
    for (std::size_t i = 0; i < 12; i += 4) {
      for (std::size_t j = 0; j < 4; ++j) {
        add(i + j, recent[j]);
        recent[j] =
            next_words(recent[j], recent[(j + 1) % 4], recent[(j + 2) % 4], recent[(j + 3) % 4]);
      }
    }
    for (std::size_t j = 0; j < 4; ++j) add(12 + j, recent[j]);
  }

 private:
  TRAINYARD_WIDE void add(std::size_t i, __m256i message) {
    const __m256i constants = _mm256_broadcastsi128_si256(load(kSha256Rounds + 4 * i));
    _mm256_store_si256(reinterpret_cast<__m256i*>(words + 8 * i),
                       _mm256_add_epi32(message, constants));
  }
};

TRAINYARD_WIDE void compress(std::uint32_t* state, const char* blocks, std::size_t count) {
  while (count != 0) {
    const bool is_last = count == 1;
    const Sums sums(blocks, is_last ? blocks : blocks + kSha256Block);
    sha256_rounds<8>(state, sums.words);
    if (is_last) return;
    sha256_rounds<8>(state, sums.words + 4);
    blocks += 2 * kSha256Block;
    count -= 2;
  }
}

}  // namespace

Sha256Compress sha256_compress_wide() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                 __builtin_cpu_supports("bmi2")
             ? compress
             : nullptr;
}

}  // namespace trainyard

#else

namespace trainyard {

Sha256Compress sha256_compress_wide() {
  return nullptr;
}

}  // namespace trainyard

#endif
