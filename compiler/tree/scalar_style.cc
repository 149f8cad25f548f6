#include "tree/scalar_style.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "tree/plain_value.h"
#include "tree/scalar.h"
#include "tree/utf8.h"

namespace trainyard {
namespace {

/// What a byte may make of a string; a scan ORs these together.
enum Trait : std::uint8_t {
  kNone = 0,
  kMark = 1,       // `:` or `#`, which end a plain scalar next to a space
  kBreak = 2,      // a line feed
  kTab = 4,        // fine in a literal block only
  kControl = 8,    // needs an escape
  kNonAscii = 16,  // may need one
  kQuote = 32,     // `"` or `\`: better in single quotes
};

constexpr auto kTraits = [] {
  std::array<std::uint8_t, 256> traits{};
  for (std::size_t c = 0; c < 0x20; ++c) traits[c] = kControl;
  for (std::size_t c = 0x80; c < 256; ++c) traits[c] = kNonAscii;
  traits[0x7F] = kControl;
  traits['\n'] = kBreak;
  traits['\t'] = kTab;
  traits[':'] = traits['#'] = kMark;
  traits['"'] = traits['\\'] = kQuote;
  return traits;
}();

/// Characters that mean something else than themselves at the start of a plain scalar.
constexpr auto kIndicators = [] {
  std::array<bool, 256> indicators{};
  for (char c : std::string_view(" ?:,[]{}#&*!|>'\"%@`")) {
    indicators[static_cast<std::uint8_t>(c)] = true;
  }
  return indicators;
}();

/// Texts are looked through 16 bytes at a time.
using Bytes = signed char __attribute__((vector_size(16)));
using Halves = std::uint64_t __attribute__((vector_size(16)));
constexpr std::size_t kBlock = sizeof(Bytes);

/// True when none of the bytes has a trait: most bytes of a manifest go through here.
bool is_ordinary(Bytes bytes) {
  const auto odd = (bytes < ' ') |  // and beyond ASCII
                   (bytes == 0x7F) | (bytes == ':') | (bytes == '#') | (bytes == '"') |
                   (bytes == '\\');
  const auto halves = reinterpret_cast<Halves>(odd);
  return (halves[0] | halves[1]) == 0;
}

template <class Word>
Word load(const char* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

/// All bytes of a text of less than a block, some of them more than once.
Bytes bytes_of_short(std::string_view text) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  if (text.size() >= 8) {
    return reinterpret_cast<Bytes>(
        Halves{load<std::uint64_t>(begin), load<std::uint64_t>(end - 8)});
  }
  std::uint64_t word = 0x2020202020202020;
  if (text.size() >= 4) {
    word = load<std::uint32_t>(begin) | std::uint64_t{load<std::uint32_t>(end - 4)} << 32U;
  } else if (!text.empty()) {
    const auto byte = [](char c) { return std::uint64_t{static_cast<std::uint8_t>(c)}; };
    word = word << 24U | byte(begin[0]) | byte(begin[text.size() / 2]) << 8U | byte(end[-1]) << 16U;
  }
  return reinterpret_cast<Bytes>(Halves{word, word});
}

[[gnu::always_inline]] inline bool is_ordinary(std::string_view text) {
  if (text.size() < kBlock) return is_ordinary(bytes_of_short(text));
  for (std::size_t at = 0; at < text.size(); at += kBlock) {
    // The last block overlaps the one before it.
    const std::size_t begin = std::min(at, text.size() - kBlock);
    if (!is_ordinary(load<Bytes>(text.data() + begin))) return false;
  }
  return true;
}

unsigned scan(std::string_view text) {
  unsigned traits = kNone;
  for (; !text.empty(); text.remove_prefix(std::min(text.size(), kBlock))) {
    const std::string_view part = text.substr(0, kBlock);
    if (is_ordinary(part)) continue;
    for (char c : part) traits |= kTraits[static_cast<std::uint8_t>(c)];
  }
  return traits;
}

bool has_unprintable(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text.substr(at));
    if (!point.valid) return true;
    if (point.value >= 0x80 && needs_escape(point.value)) return true;
    at += point.length;
  }
  return false;
}

bool marks_end_scalar(std::string_view text) {
  return text.ends_with(':') || text.find(": ") != std::string_view::npos ||
         text.find(" #") != std::string_view::npos;
}

/// `---` and `...` are document markers at the start of a line.
bool like_document_marker(std::string_view text) {
  const std::string_view start = text.substr(0, 3);
  return (start == "---" || start == "...") && (text.size() == 3 || text[3] == ' ');
}

bool plain_is_safe(std::string_view text, unsigned traits) {
  if (text.empty() || (traits & (kTab | kBreak)) != 0) return false;
  if (kIndicators[static_cast<std::uint8_t>(text.front())] || text.back() == ' ') return false;
  if (text.front() == '-' || text.front() == '.') {
    if (text == "-" || text.starts_with("- ") || like_document_marker(text)) return false;
  }
  if ((traits & kMark) != 0 && marks_end_scalar(text)) return false;
  return resolves_to_string(text);
}

/// A block of nothing but line breaks is read differently by different readers. One that ends in
/// empty lines is safe only in the middle of a document: tools that split streams, and editors,
/// drop them at the end.
bool literal_is_exact(std::string_view text, StringPlace place) {
  if (place != StringPlace::Value && place != StringPlace::LastValue) return false;
  if (text.find_first_not_of('\n') == std::string_view::npos) return false;
  return place == StringPlace::Value || !text.ends_with("\n\n");
}

/// Apart, so that the way of ordinary texts stays short.
[[gnu::noinline]] StringStyle style_of(std::string_view text, StringPlace place) {
  const unsigned traits = scan(text);
  if ((traits & kControl) != 0) return StringStyle::DoubleQuoted;
  if ((traits & kNonAscii) != 0 && has_unprintable(text)) return StringStyle::DoubleQuoted;
  if (plain_is_safe(text, traits)) return StringStyle::Plain;
  if ((traits & kBreak) != 0) {
    return literal_is_exact(text, place) ? StringStyle::Literal : StringStyle::DoubleQuoted;
  }
  const bool single = (traits & kQuote) != 0 && (traits & kTab) == 0;
  return single ? StringStyle::SingleQuoted : StringStyle::DoubleQuoted;
}

}  // namespace

bool needs_escape(char32_t c) {
  if (c < 0x20 || (c >= 0x7F && c < 0xA0)) return true;
  if (c < 0x61C) return false;
  if (c == 0x61C || c == 0x200B || c == 0x200E || c == 0x200F) return true;  // invisible marks
  if (c >= 0x2028 && c <= 0x202E) return true;  // line and paragraph separators, bidi overrides
  if (c == 0x2060 || (c >= 0x2066 && c <= 0x2069)) return true;  // word joiner, bidi isolates
  return c == 0xFEFF || (c >= 0xFFFD && c <= 0xFFFF);  // marks, and what stands for lost bytes
}

StringStyle choose_style(std::string_view text, StringPlace place) {
  const bool is_plain = is_plainly_string(text) &&
                        !kIndicators[static_cast<std::uint8_t>(text.front())] &&
                        text.back() != ' ' && is_ordinary(text);
  return is_plain ? StringStyle::Plain : style_of(text, place);
}

}  // namespace trainyard
