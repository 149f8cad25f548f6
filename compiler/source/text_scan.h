#pragma once

#include <bit>
#include <cstddef>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace trainyard {

// Looks through text sixteen bytes at a time where the processor can: the words of YAML are short,
// but nearly always end within one such step.

#if defined(__SSE2__)
namespace text_scan {

inline constexpr std::size_t kStep = sizeof(__m128i);

inline __m128i load(std::string_view text, std::size_t at) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
}
/// A bit for each byte that is `c`.
inline __m128i equal(__m128i bytes, char c) {
  return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c));
}
inline unsigned bits(__m128i matches) {
  return static_cast<unsigned>(_mm_movemask_epi8(matches));
}
/// Bytes that are at most `last` and less than `count` below it. Bytes above 0x7f are none.
inline __m128i within(__m128i bytes, char last, int count) {
  const __m128i moved = _mm_add_epi8(bytes, _mm_set1_epi8(static_cast<char>(0x7f - last)));
  return _mm_cmpgt_epi8(moved, _mm_set1_epi8(static_cast<char>(0x7f - count)));
}
/// Letters and digits, `_` and `-`.
inline __m128i of_words(__m128i bytes) {
  const __m128i lower = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
  const __m128i letters = _mm_or_si128(within(lower, 'z', 26), within(bytes, '9', 10));
  return _mm_or_si128(letters, _mm_or_si128(equal(bytes, '_'), equal(bytes, '-')));
}

}  // namespace text_scan
#endif

/// The first byte at or after `from` that is no blank; the size of the text when there is none.
inline std::size_t after_spaces(std::string_view text, std::size_t from) {
#if defined(__SSE2__)
  for (; from + text_scan::kStep <= text.size(); from += text_scan::kStep) {
    const unsigned others =
        text_scan::bits(text_scan::equal(text_scan::load(text, from), ' ')) ^ 0xffffU;
    if (others != 0) return from + static_cast<std::size_t>(std::countr_zero(others));
  }
#endif
  while (from < text.size() && text[from] == ' ') ++from;
  return from;
}

/// The first byte at or after `from` at which a plain scalar may end: a line break, a colon, `#` or
/// a tab. The size of the text when there is none.
inline std::size_t find_plain_stop(std::string_view text, std::size_t from) {
#if defined(__SSE2__)
  for (; from + text_scan::kStep <= text.size(); from += text_scan::kStep) {
    const __m128i bytes = text_scan::load(text, from);
    const __m128i ends = _mm_or_si128(text_scan::equal(bytes, '\n'), text_scan::equal(bytes, ':'));
    const __m128i others =
        _mm_or_si128(text_scan::equal(bytes, '#'), text_scan::equal(bytes, '\t'));
    const unsigned found = text_scan::bits(_mm_or_si128(ends, others));
    if (found != 0) return from + static_cast<std::size_t>(std::countr_zero(found));
  }
#endif
  for (; from < text.size(); ++from) {
    const char c = text[from];
    if (c == '\n' || c == ':' || c == '#' || c == '\t') break;
  }
  return from;
}

/// The first byte at or after `from` that may stand between a name and its value or open a list or
/// map: `:`, `=`, `-`, `{` or `[`. The size of the text when there is none.
inline std::size_t find_sign(std::string_view text, std::size_t from) {
#if defined(__SSE2__)
  for (; from + text_scan::kStep <= text.size(); from += text_scan::kStep) {
    const __m128i bytes = text_scan::load(text, from);
    const __m128i signs = _mm_or_si128(text_scan::equal(bytes, ':'), text_scan::equal(bytes, '='));
    const __m128i opens = _mm_or_si128(text_scan::equal(bytes, '{'), text_scan::equal(bytes, '['));
    const unsigned found =
        text_scan::bits(_mm_or_si128(_mm_or_si128(signs, opens), text_scan::equal(bytes, '-')));
    if (found != 0) return from + static_cast<std::size_t>(std::countr_zero(found));
  }
#endif
  for (; from < text.size(); ++from) {
    const char c = text[from];
    if (c == ':' || c == '=' || c == '-' || c == '{' || c == '[') break;
  }
  return from;
}

/// The first byte at or after `from` that is neither printable ASCII nor a line break. The size of
/// the text when there is none.
inline std::size_t after_ordinary(std::string_view text, std::size_t from) {
#if defined(__SSE2__)
  for (; from + text_scan::kStep <= text.size(); from += text_scan::kStep) {
    const __m128i bytes = text_scan::load(text, from);
    // Bytes above 0x7f count as negative.
    const __m128i low =
        _mm_andnot_si128(text_scan::equal(bytes, '\n'), _mm_cmplt_epi8(bytes, _mm_set1_epi8(' ')));
    const unsigned found = text_scan::bits(_mm_or_si128(low, text_scan::equal(bytes, '\x7f')));
    if (found != 0) return from + static_cast<std::size_t>(std::countr_zero(found));
  }
#endif
  for (; from < text.size(); ++from) {
    const char c = text[from];
    if ((c < ' ' || c > '~') && c != '\n') break;
  }
  return from;
}

}  // namespace trainyard
