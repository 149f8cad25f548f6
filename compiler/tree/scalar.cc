#include "tree/scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>

#include "source/characters.h"
#include "source/number_text.h"
#include "tree/plain_value.h"

namespace trainyard {
namespace {

constexpr bool is_sign(char c) {
  return c == '+' || c == '-';
}
constexpr bool is_octal(char c) {
  return c >= '0' && c <= '7';
}
constexpr bool is_binary(char c) {
  return c == '0' || c == '1';
}

/// Characters of numbers and dates. A text with any other is neither, which settles `10Gi`.
constexpr auto kNumeric = [] {
  std::array<bool, 256> table{};
  for (char c : std::string_view("0123456789abcdefABCDEFxXoO_.:+-TtZ \tinIN")) {
    table[static_cast<unsigned char>(c)] = true;
  }
  return table;
}();

/// Walks over a text, taking what a grammar allows.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  bool done() const { return rest_.empty(); }
  std::size_t left() const { return rest_.size(); }

  template <class Predicate>
  bool one(Predicate accept) {
    if (rest_.empty() || !accept(rest_[0])) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool one(char c) {
    return one([c](char have) { return have == c; });
  }
  template <class Predicate>
  std::size_t many(Predicate accept) {
    std::size_t count = 0;
    while (one(accept)) ++count;
    return count;
  }
  std::size_t digits() { return many(is_digit); }
  bool prefix(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

 private:
  std::string_view rest_;
};

std::string_view without_sign(std::string_view text) {
  if (!text.empty() && is_sign(text[0])) text.remove_prefix(1);
  return text;
}

template <class Predicate>
bool all(std::string_view text, Predicate accept) {
  return !text.empty() && std::all_of(text.begin(), text.end(), accept);
}

bool is_infinity(std::string_view unsigned_text) {
  return unsigned_text == ".inf" || unsigned_text == ".Inf" || unsigned_text == ".INF";
}
bool is_nan(std::string_view text) {
  return text == ".nan" || text == ".NaN" || text == ".NAN";
}

// --- YAML 1.2, core schema -----------------------------------------------------------------------

bool core_int(std::string_view text) {
  if (text.starts_with("0o")) return all(text.substr(2), is_octal);
  if (text.starts_with("0x")) return all(text.substr(2), is_hex);
  return all(without_sign(text), is_digit);
}

/// [-+]? ( \. digits | digits ( \. digits? )? ) ( [eE] [-+]? digits )?
bool decimal_float(std::string_view text) {
  Cursor at(without_sign(text));
  const std::size_t whole = at.digits();
  const std::size_t fraction = at.one('.') ? at.digits() : 0;
  if (whole + fraction == 0) return false;
  if (at.one('e') || at.one('E')) {
    at.one(is_sign);
    if (at.digits() == 0) return false;
  }
  return at.done();
}

// --- PyYAML --------------------------------------------------------------------------------------

constexpr auto digit_or_underscore = [](char c) { return is_digit(c) || c == '_'; };

/// (:[0-5]?[0-9])+
bool base60_tail(Cursor& at) {
  std::size_t groups = 0;
  while (at.one(':')) {
    if (!at.one(is_digit)) return false;
    at.one(is_digit);
    ++groups;
  }
  return groups != 0;
}

/// The same, where the text is to be checked that no group is 60 or more.
bool base60_groups_valid(std::string_view text) {
  for (std::size_t colon = text.find(':'); colon != text.npos; colon = text.find(':', colon + 1)) {
    const bool two = colon + 2 < text.size() && is_digit(text[colon + 2]);
    if (two && text[colon + 1] > '5') return false;
  }
  return true;
}

bool python_int(std::string_view signed_text) {
  const std::string_view text = without_sign(signed_text);
  const auto with_underscore = [](bool (*digit)(char)) {
    return [digit](char c) { return digit(c) || c == '_'; };
  };
  if (text.empty()) return false;
  if (text == "0") return true;
  if (text.starts_with("0b")) return all(text.substr(2), with_underscore(is_binary));
  if (text.starts_with("0x")) return all(text.substr(2), with_underscore(is_hex));
  if (text[0] == '0') return all(text.substr(1), with_underscore(is_octal));
  if (!is_digit(text[0])) return false;
  Cursor at(text);
  at.many(digit_or_underscore);
  if (at.done()) return true;
  return base60_tail(at) && at.done() && base60_groups_valid(text);
}

bool python_float(std::string_view signed_text) {
  const std::string_view text = without_sign(signed_text);
  if (is_infinity(text) || is_nan(signed_text)) return true;
  if (text.empty()) return false;
  Cursor at(text);
  const bool starts_with_point = text[0] == '.';
  if (starts_with_point && (text.size() != signed_text.size() || text.size() < 2)) return false;
  if (starts_with_point ? !is_digit(text[1]) : !is_digit(text[0])) return false;
  at.many(digit_or_underscore);
  const bool base60 = !at.done() && text.find(':') != text.npos;
  if (base60 && !(base60_tail(at) && base60_groups_valid(text))) return false;
  if (!at.one('.')) return false;
  at.many(digit_or_underscore);
  if (base60 || at.done()) return at.done();
  return (at.one('e') || at.one('E')) && at.one(is_sign) && at.digits() != 0 && at.done();
}

bool clock_time(Cursor& at) {
  const auto one_or_two = [&at] { return at.one(is_digit) && (at.one(is_digit), true); };
  const auto two = [&at] { return at.one(is_digit) && at.one(is_digit); };
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  if (!at.one('T') && !at.one('t') && at.many(blank) == 0) return false;
  if (!one_or_two() || !at.one(':') || !two() || !at.one(':') || !two()) return false;
  if (at.one('.')) at.digits();
  const bool gap = at.many(blank) != 0;
  if (at.done()) return !gap;
  if (at.one('Z')) return at.done();
  if (!at.one(is_sign) || !one_or_two()) return false;
  return at.done() || (at.one(':') && two() && at.done());
}

/// 2001-12-14, or with one-digit months and days when a time follows.
bool timestamp(std::string_view text) {
  if (text.size() < 8 || text[4] != '-') return false;
  Cursor at(text);
  if (at.digits() != 4 || !at.one('-')) return false;
  const std::size_t month = at.digits();
  if (month < 1 || month > 2 || !at.one('-')) return false;
  const std::size_t day = at.digits();
  if (day < 1 || day > 2) return false;
  if (at.done()) return month == 2 && day == 2;
  return clock_time(at);
}

// --- go-yaml v2 ----------------------------------------------------------------------------------

/// What strconv.ParseInt takes in base 0, and go-yaml's own way with `0b`.
bool go_int(std::string_view signed_text) {
  const std::string_view text = without_sign(signed_text);
  if (text.size() > 2 && text[0] == '0') {
    const std::string_view digits = text.substr(2);
    if (text[1] == 'x' || text[1] == 'X') return all(digits, is_hex);
    if (text[1] == 'o' || text[1] == 'O') return all(digits, is_octal);
    if (text[1] == 'B') return all(digits, is_binary);
    if (text[1] == 'b') {
      const bool unsigned_text = text.size() == signed_text.size();
      return all(unsigned_text ? without_sign(digits) : digits, is_binary);
    }
  }
  if (text.size() > 1 && text[0] == '0') return all(text, is_octal);
  return all(text, is_digit);
}

/// A decimal number beyond the range of a double is a string to go-yaml.
bool overflows(std::string_view text) {
  double value = 0;
  text = text.starts_with('+') ? text.substr(1) : text;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc::result_out_of_range) return false;
  const std::size_t exponent = text.find_first_of("eE");
  if (exponent != text.npos && text.substr(exponent + 1).starts_with('-')) return false;
  return without_sign(text).find_first_not_of('0') != text.npos;
}

/// Every underscore stands between two digits.
bool underscores_between_digits(std::string_view text) {
  for (std::size_t i = text.find('_'); i != text.npos; i = text.find('_', i + 1)) {
    if (i == 0 || i + 1 == text.size()) return false;
    if (!is_digit(text[i - 1]) || !is_digit(text[i + 1])) return false;
  }
  return true;
}

Kind go_number(std::string_view text) {
  if (is_nan(text) || is_infinity(without_sign(text))) return Kind::Float;
  std::string stripped;
  const bool starts_with_point = text[0] == '.';
  if (text.find('_') != text.npos) {
    if (starts_with_point && !underscores_between_digits(text)) return Kind::String;
    stripped.assign(text);
    std::erase(stripped, '_');
    text = stripped;
  }
  if (!starts_with_point && go_int(text)) return Kind::Int;
  return decimal_float(text) && !overflows(text) ? Kind::Float : Kind::String;
}

// --- all together --------------------------------------------------------------------------------

/// Octal in YAML 1.1, decimal in 1.2: the same only below 8.
bool octal_differs(std::string_view text) {
  text = without_sign(text);
  if (text.size() < 2 || text[0] != '0' || !is_digit(text[1])) return false;
  return text.substr(0, text.size() - 1).find_first_not_of('0') != text.npos;
}

PlainScalar all_kinds_of(Kind kind) {
  PlainScalar result;
  result.yaml11 = result.kubernetes = result.yaml12 = kind;
  return result;
}

PlainScalar classify_number(std::string_view text) {
  PlainScalar result;
  const bool plain_int = text[0] >= '1' && text[0] <= '9' && all(text, is_digit);
  if (plain_int || text == "0") return all_kinds_of(Kind::Int);
  for (char c : text) {
    if (!kNumeric[static_cast<unsigned char>(c)]) return result;
  }
  result.yaml11 = python_int(text) ? Kind::Int : python_float(text) ? Kind::Float : Kind::String;
  result.kubernetes = go_number(text);
  const bool special = is_nan(text) || is_infinity(without_sign(text));
  result.yaml12 = core_int(text)                     ? Kind::Int
                  : (special || decimal_float(text)) ? Kind::Float
                                                     : Kind::String;
  result.same_value = !octal_differs(text);
  if (is_digit(text[0]) && timestamp(text)) result.special = Special::Timestamp;
  return result;
}

struct Word {
  std::string_view text;
  Kind yaml11;
  Kind kubernetes;
  Kind yaml12;
};

constexpr Word kWords[] = {
    {"true", Kind::Bool, Kind::Bool, Kind::Bool},  {"false", Kind::Bool, Kind::Bool, Kind::Bool},
    {"null", Kind::Null, Kind::Null, Kind::Null},  {"~", Kind::Null, Kind::Null, Kind::Null},
    {"yes", Kind::Bool, Kind::Bool, Kind::String}, {"no", Kind::Bool, Kind::Bool, Kind::String},
    {"on", Kind::Bool, Kind::Bool, Kind::String},  {"off", Kind::Bool, Kind::Bool, Kind::String},
    {"y", Kind::String, Kind::Bool, Kind::String}, {"n", Kind::String, Kind::Bool, Kind::String},
};

/// `text` is `word` in lower case, with a capital first letter, or in capitals.
bool spelled_like(std::string_view text, std::string_view word) {
  if (text.size() != word.size()) return false;
  std::size_t capitals = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (to_lower(text[i]) != word[i]) return false;
    if (is_upper(text[i])) ++capitals;
  }
  return capitals == 0 || capitals == text.size() || (capitals == 1 && is_upper(text[0]));
}

PlainScalar classify_word(std::string_view text) {
  PlainScalar result;
  if (text.size() > 5) return result;
  const char first = to_lower(text.front());
  for (const Word& word : kWords) {
    if (word.text.front() != first || !spelled_like(text, word.text)) continue;
    result.yaml11 = word.yaml11;
    result.kubernetes = word.kubernetes;
    result.yaml12 = word.yaml12;
    break;
  }
  return result;
}

// --- syntax --------------------------------------------------------------------------------------

/// The length of the UTF-8 sequence at `at` if all readers print it as it is, else 0.
std::size_t printable_sequence(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u;
  };
  const auto tail = [&](std::size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const unsigned first = byte(0);
  if (first >= 0xc2 && first <= 0xdf && tail(1)) {
    return first == 0xc2 && byte(1) < 0xa0 ? 0 : 2;  // C1 controls, among them a line break
  }
  if (first >= 0xe0 && first <= 0xef && tail(1) && tail(2)) {
    const unsigned code = (first & 0xf) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
    const bool bad = code < 0x800 || (code >= 0xd800 && code <= 0xdfff) || code == 0x2028 ||
                     code == 0x2029 || code == 0xfeff || code >= 0xfffe;
    return bad ? 0 : 3;
  }
  if (first >= 0xf0 && first <= 0xf4 && tail(1) && tail(2) && tail(3)) {
    const unsigned top = (first & 0x7) << 6 | (byte(1) & 0x3f);
    return top >= 0x10 && top <= 0x10f ? 4 : 0;
  }
  return 0;
}

bool starts_like_syntax(std::string_view text) {
  constexpr std::string_view kIndicators = ",[]{}#&*!|>'\"%@`?:";
  if (kIndicators.find(text[0]) != kIndicators.npos || text[0] == ' ') return true;
  if (text[0] == '-') return text.size() == 1 || text[1] == ' ' || text.starts_with("---");
  return text.starts_with("...");
}

bool holds_syntax(std::string_view text) {
  if (text.empty() || starts_like_syntax(text) || text.back() == ' ' || text.back() == ':') {
    return true;
  }
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == ':' && text[i + 1] == ' ') return true;  // it is not the last character
    if (c == '#' && text[i - 1] == ' ') return true;  // nor is this the first
    if (static_cast<unsigned char>(c) < 0x80) {
      if (c < ' ' || c == 0x7f) return true;
      ++i;
      continue;
    }
    const std::size_t length = printable_sequence(text, i);
    if (length == 0) return true;
    i += length;
  }
  return false;
}

// --- values --------------------------------------------------------------------------------------

struct Digits {
  std::string_view text;
  int base = 10;
};

Digits digits_of(std::string_view unsigned_text) {
  if (unsigned_text.size() < 2 || unsigned_text[0] != '0') return {unsigned_text, 10};
  switch (to_lower(unsigned_text[1])) {
    case 'x':
      return {unsigned_text.substr(2), 16};
    case 'o':
      return {unsigned_text.substr(2), 8};
    case 'b':
      return {unsigned_text.substr(2), 2};
    default:
      return {unsigned_text, 8};
  }
}

std::optional<std::uint64_t> number_in(Digits digits) {
  return read_number<std::uint64_t>(digits.text, digits.base);
}

/// A copy without underscores, where there are any.
std::string_view without_underscores(std::string_view text, Arena& arena) {
  if (text.find('_') == text.npos) return text;
  char* out = arena.allocate(text.size());
  char* end = std::copy_if(text.begin(), text.end(), out, [](char c) { return c != '_'; });
  return {out, static_cast<std::size_t>(end - out)};
}

}  // namespace

PlainScalar classify_plain(std::string_view text) {
  if (text.empty()) return all_kinds_of(Kind::Null);
  if (is_plainly_string(text)) return {};
  if (is_digit(text[0]) || is_sign(text[0]) || text[0] == '.') return classify_number(text);
  PlainScalar result;
  if (text == "<<") {
    result.special = Special::Merge;
  } else if (text == "=") {
    result.special = Special::Default;
  } else {
    result = classify_word(text);
  }
  return result;
}

bool resolves_to_string(std::string_view text) {
  if (is_plainly_string(text)) return true;
  const PlainScalar scalar = classify_plain(text);
  return scalar.yaml12 == Kind::String && !scalar.ambiguous();
}

bool plain_is_string(std::string_view text) {
  return !holds_syntax(text) && resolves_to_string(text);
}

bool true_word(std::string_view text) {
  return spelled_like(text, "true") || spelled_like(text, "yes") || spelled_like(text, "on") ||
         spelled_like(text, "y");
}

std::string_view decimal_text(std::string_view text, Arena& arena) {
  std::string_view body = text.starts_with('+') ? text.substr(1) : text;
  const bool minus = body.starts_with('-');
  if (all(body.substr(minus ? 1 : 0), is_digit) && body[minus ? 1 : 0] != '0') return body;
  body = without_underscores(body, arena);
  Digits digits = digits_of(without_sign(body));
  bool negative = minus;
  if (digits.base == 2 && !minus && !digits.text.empty() &&
      is_sign(digits.text[0])) {  // `0b-1`, which go-yaml takes
    negative = digits.text[0] == '-';
    digits.text.remove_prefix(1);
  }
  if (digits.base == 10) return body == "-0" ? "0" : body;
  const auto value = number_in(digits);
  if (!value) return body;
  char buffer[24];
  char* begin = buffer;
  if (negative && *value != 0) *begin++ = '-';
  const char* end = std::to_chars(begin, buffer + sizeof buffer, *value).ptr;
  return arena.intern({buffer, static_cast<std::size_t>(end - buffer)});
}

std::string_view float_text(std::string_view text, Arena& arena) {
  if (text.starts_with('+')) text.remove_prefix(1);
  text = without_underscores(text, arena);
  if (text.starts_with('-')) return text;
  while (text.size() > 1 && text[0] == '0' && is_digit(text[1])) text.remove_prefix(1);
  return text;
}

}  // namespace trainyard
