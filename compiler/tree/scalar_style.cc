#include "tree/scalar_style.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "tree/recent_texts.h"
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

constexpr std::size_t kWord = 8;
constexpr std::uint64_t kOnes = 0x0101010101010101;
constexpr std::uint64_t kHighs = 0x8080808080808080;

/// The high bit of every byte of a word, itself below 0x80, that is `c`. (A byte above one that is
/// may be marked too, which does no harm here.)
constexpr std::uint64_t bytes_that_are(std::uint64_t word, char c) {
  const std::uint64_t zero_there = word ^ (kOnes * static_cast<std::uint8_t>(c));
  return (zero_there - kOnes) & ~zero_there;
}

/// True when none of the eight bytes has a trait: most bytes of a manifest go through here.
bool is_ordinary_word(const char* bytes) {
  std::uint64_t word;
  std::memcpy(&word, bytes, kWord);
  std::uint64_t odd = word;                       // beyond ASCII
  odd |= (word - kOnes * 0x20) | (word + kOnes);  // below a space; 0x7F
  odd |= bytes_that_are(word, ':') | bytes_that_are(word, '#');
  odd |= bytes_that_are(word, '"') | bytes_that_are(word, '\\');
  return (odd & kHighs) == 0;
}

unsigned scan(std::string_view text) {
  unsigned traits = kNone;
  const auto look = [&traits](std::string_view part) {
    for (char c : part) traits |= kTraits[static_cast<std::uint8_t>(c)];
  };
  const std::size_t size = text.size();
  if (size < kWord) {
    look(text);
    return traits;
  }
  for (std::size_t at = 0; at < size; at += kWord) {
    // The last word overlaps the one before it.
    const std::size_t begin = std::min(at, size - kWord);
    if (!is_ordinary_word(text.data() + begin)) look(text.substr(begin, kWord));
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

/// Apart, so that the way of known texts stays short.
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
  constinit thread_local RecentTexts styles;
  if (text.empty() || text.size() > RecentTexts::kLongest) return style_of(text, place);
  if (const std::uint8_t* known = styles.find(text)) return static_cast<StringStyle>(*known);
  const StringStyle style = style_of(text, place);
  // Only for a text of several lines the place counts.
  if (text.find('\n') == std::string_view::npos) {
    styles.add(text, static_cast<std::uint8_t>(style));
  }
  return style;
}

}  // namespace trainyard
