#include "driver/validate/placeholders.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "source/text_parts.h"
#include "source/word_table.h"

namespace trainyard {
namespace {

constexpr std::string_view kNameLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";

bool is_letter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

/// The length of what begins here with `open`, ends with `close` and holds these characters.
bool holds_name(std::string_view rest, std::string_view open, std::string_view others, char close) {
  if (!rest.starts_with(open)) return false;
  rest.remove_prefix(open.size());
  if (rest.empty() || !is_letter(rest.front())) return false;
  const auto end = std::ranges::find_if_not(rest, [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || others.find(c) != others.npos;
  });
  return end != rest.end() && *end == close;
}

/// `__NAMESPACE__`
bool is_between_underscores(std::string_view rest) {
  constexpr std::string_view kMark = "__";
  if (!rest.starts_with(kMark)) return false;
  const std::size_t end = rest.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
  const std::string_view word = rest.substr(0, end);
  return word.size() > 2 * kMark.size() && word.ends_with(kMark) && word[2] != '_';
}

/// `@NAMESPACE@`, as autoconf and `sed` fill it in.
bool is_between_ats(std::string_view rest) {
  return rest.size() > 2 && rest[0] == '@' && rest[1] >= 'A' && rest[1] <= 'Z' &&
         rest.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", 1) == rest.find('@', 1) &&
         rest.find('@', 1) != rest.npos;
}

/// `${NAME:=value}`, `${NAME//a/b}`, `$(cat file)`: a shell, envsubst and Flux fill these in.
bool is_expansion(std::string_view rest) {
  for (const auto& [open, close] : {std::pair{"${", '}'}, std::pair{"$(", ')'}}) {
    constexpr std::size_t kOpen = 2;
    if (!rest.starts_with(open) || rest.size() == kOpen || !is_letter(rest[kOpen])) continue;
    const std::string_view line = rest.substr(0, rest.find('\n'));
    // The end of what replaces a part of the value may stand behind a `: `, in the next text.
    const std::size_t end = line.find_first_not_of(kNameLetters, kOpen);
    const bool replaces = end != line.npos && (line[end] == '/' || line[end] == '#');
    return line.find(close) != line.npos || replaces;
  }
  return rest.size() > 1 && rest[0] == '$' && is_letter(rest[1]);
}

bool is_placeholder(std::string_view rest) {
  return is_expansion(rest) || is_between_underscores(rest) || is_between_ats(rest) ||
         holds_name(rest, "<", "-. ", '>');
}

/// The words of a text in small letters, with `_` around each: `putYour token` is
/// `_put_your_token_`.
std::string words_of(std::string_view text) {
  std::string words = "_";
  bool was_small = false;
  for (const char c : text) {
    const bool is_capital = c >= 'A' && c <= 'Z';
    const bool is_small = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    const bool begins = !is_small && (!is_capital || was_small);
    if (begins && words.back() != '_') words += '_';
    if (is_capital) words += static_cast<char>(c - 'A' + 'a');
    if (is_small) words += c;
    was_small = is_small;
  }
  return words.back() == '_' ? words : words + '_';
}

template <typename Words>
bool has_any(std::string_view text, const Words& sought) {
  const std::string words = words_of(text);
  return std::ranges::any_of(sought, [&](auto each) { return contains(words, each); });
}

std::string_view without_quotes(std::string_view text) {
  const bool is_quoted = text.size() > 1 && (text.front() == '"' || text.front() == '\'') &&
                         text.back() == text.front();
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

}  // namespace

bool has_engine(std::string_view text) {
  const auto spans = [text](std::string_view open, std::string_view close) {
    const std::size_t begin = text.find(open);
    const std::size_t end = text.rfind(close);
    return begin != text.npos && end != text.npos && begin + open.size() <= end;
  };
  return spans("{{", "}}") || spans("{%", "%}");
}

bool has_placeholder(std::string_view text) {
  text = without_quotes(text);
  if (holds_name(text, "{", "", '}') && text.find('}') + 1 == text.size()) return true;
  if (has_engine(text)) return true;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (is_placeholder(text.substr(at))) return true;
  }
  return false;
}

bool has_name_in_braces(std::string_view text) {
  for (std::size_t at = text.find('{'); at != text.npos; at = text.find('{', at + 1)) {
    if (holds_name(text.substr(at), "{", "", '}')) return true;
  }
  return false;
}

bool has_name_in_signs(std::string_view text) {
  for (std::size_t at = text.find('<'); at != text.npos; at = text.find('<', at + 1)) {
    const std::size_t end = text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", at + 1);
    if (end != text.npos && end > at + 2 && text[end] == '>') return true;
  }
  return false;
}

bool has_word_for_reader(std::string_view text) {
  return has_any(text,
                 word_table<"_your _replace placeholder _change_me_ _changeme _fill_in_ _filled_ "
                            "_fill_me_ _insert_ _enter_ _todo_ _tbd_ _fixme_ _goes_here_ "
                            "_redacted_">);
}

bool has_capitals_for_reader(std::string_view text) {
  constexpr auto kWords =
      std::to_array<std::string_view>({"CHANGEME", "CHANGE_ME", "FILLED BY", "FILLED_BY", "FILL_IN",
                                       "PLACEHOLDER", "REPLACEME", "REPLACE_", "YOUR_", "YOUR-"});
  return std::ranges::any_of(kWords, [&](auto word) { return contains(text, word); });
}

bool asks_for_change(std::string_view comment) {
  return has_word_for_reader(comment) ||
         has_any(comment, word_table<"_change_ _update_ _fill_ _set_ _edit_ _adjust_ _modify_ "
                                     "_put_ _provide_ _specify_ _must_be_ _should_be_">);
}

bool is_in_capitals(std::string_view text) {
  while (text.starts_with('"') || text.starts_with('\'')) text.remove_prefix(1);
  text = text.substr(0, text.find_first_of(":@\"'"));
  return text.find('_') != text.npos &&
         text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == text.npos;
}

bool has_part_in_capitals(std::string_view text, bool plain_word_counts) {
  constexpr std::string_view kCapitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  constexpr std::size_t kShortest = 4;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("-./:\"'"), text.size());
    const std::string_view part = text.substr(0, end);
    const bool is_word = part.find('_') != part.npos || plain_word_counts;
    if (is_word && part.size() >= kShortest && is_letter(part.front()) &&
        part.find_first_not_of(kCapitals) == part.npos) {
      return true;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

bool is_mask(std::string_view text) {
  text = without_quotes(text);
  const auto signs = std::to_array<std::string_view>({"_", "*", "\u2022", "x", "X", "..."});
  return std::ranges::any_of(signs, [&](std::string_view sign) {
    std::string_view rest = text;
    while (rest.starts_with(sign)) rest.remove_prefix(sign.size());
    return rest.empty() && !text.empty();
  });
}

bool is_sentence(std::string_view text) {
  return std::ranges::count(text, ' ') >= 2;
}

}  // namespace trainyard
