// SHA-256 by the instructions that x86 processors have had since 2016. The state is kept in the two
// registers ABEF and CDGH that they want, and four words of the message at a time in each of four
// others.

#include "source/sha256_blocks.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <cpuid.h>
#include <immintrin.h>

namespace trainyard {
namespace {

#define TRAINYARD_SHA __attribute__((target("sha,sse4.1,ssse3")))

TRAINYARD_SHA __m128i load(const void* from) {
  return _mm_loadu_si128(static_cast<const __m128i*>(from));
}

TRAINYARD_SHA void store(void* to, __m128i value) {
  _mm_storeu_si128(static_cast<__m128i*>(to), value);
}

/// The message words 16 to 19 after the sixteen that `a` to `d` hold.
TRAINYARD_SHA __m128i next_words(__m128i a, __m128i b, __m128i c, __m128i d) {
  const __m128i with_ninth = _mm_add_epi32(_mm_sha256msg1_epu32(a, b), _mm_alignr_epi8(d, c, 4));
  return _mm_sha256msg2_epu32(with_ninth, d);
}

TRAINYARD_SHA void four_rounds(__m128i& abef, __m128i& cdgh, __m128i words, const void* constants) {
  const __m128i sum = _mm_add_epi32(words, load(constants));
  cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
  abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
}

TRAINYARD_SHA void compress(std::uint32_t* state, const char* blocks, std::size_t count) {
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  const __m128i badc = _mm_shuffle_epi32(load(state), 0xb1);
  const __m128i efgh = _mm_shuffle_epi32(load(state + 4), 0x1b);
  __m128i abef = _mm_alignr_epi8(badc, efgh, 8);
  __m128i cdgh = _mm_blend_epi16(efgh, badc, 0xf0);
  for (; count != 0; --count, blocks += kSha256Block) {
    const __m128i abef_before = abef;
    const __m128i cdgh_before = cdgh;
    __m128i words[4];
    for (int i = 0; i < 4; ++i) words[i] = _mm_shuffle_epi8(load(blocks + 16 * i), big_endian);
    for (int i = 0; i < 16; ++i) {
      const __m128i now = words[0];
      four_rounds(abef, cdgh, now, kSha256Rounds + 4 * i);
      words[0] = words[1];
      words[1] = words[2];
      words[2] = words[3];
      if (i < 12) words[3] = next_words(now, words[0], words[1], words[2]);
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1b);
  const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  store(state, _mm_blend_epi16(feba, dchg, 0xf0));
  store(state + 4, _mm_alignr_epi8(dchg, feba, 8));
}

bool has_instructions() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  constexpr unsigned kSsse3AndSse41 = 1U << 9 | 1U << 19;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & kSsse3AndSse41) != kSsse3AndSse41) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b >> 29 & 1) != 0;
}

}  // namespace

Sha256Compress sha256_compress_native() {
  return has_instructions() ? compress : nullptr;
}

}  // namespace trainyard

#else

namespace trainyard {

Sha256Compress sha256_compress_native() {
  return nullptr;
}

}  // namespace trainyard

#endif
