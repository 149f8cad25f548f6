#include "policy/simple_test.h"

#include <algorithm>
#include <array>
#include <compare>
#include <utility>

#include "source/characters.h"
#include "source/number_text.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

using Sign = SimpleTest::Sign;

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// A name that CEL reads as it is written: one with `__` may stand for another.
bool is_plain_name(std::string_view name) {
  const auto fits = [](char c) { return is_alphanumeric(c) || c == '_'; };
  return !name.empty() && std::ranges::all_of(name, fits) && name.find("__") == name.npos;
}

bool holds(Sign sign, std::strong_ordering order) {
  switch (sign) {
    case Sign::Equal:
      return order == 0;
    case Sign::NotEqual:
      return order != 0;
    case Sign::Less:
      return order < 0;
    case Sign::LessEqual:
      return order <= 0;
    case Sign::Greater:
      return order > 0;
    default:
      return order >= 0;
  }
}

/// Takes `.a.b`. False for what is no plain field.
bool take_fields(std::string_view& text, std::vector<std::string_view>& into) {
  while (take(text, ".")) {
    const std::size_t end = std::min(text.find_first_of(". )"), text.size());
    const std::string_view name = text.substr(0, end);
    if (!is_plain_name(name)) return false;
    into.push_back(name);
    text.remove_prefix(end);
  }
  return true;
}

/// What stands behind a value: ` < 1`, ` == 'a'`.
bool read_comparison(std::string_view text, SimpleTest& into) {
  constexpr auto kSigns =
      std::to_array<std::pair<std::string_view, Sign>>({{" == ", Sign::Equal},
                                                        {" != ", Sign::NotEqual},
                                                        {" < ", Sign::Less},
                                                        {" <= ", Sign::LessEqual},
                                                        {" > ", Sign::Greater},
                                                        {" >= ", Sign::GreaterEqual}});
  const auto* const sign =
      std::ranges::find_if(kSigns, [&](const auto& each) { return take(text, each.first); });
  if (sign == kSigns.end()) return false;
  into.sign = sign->second;
  const bool is_equality = into.sign == Sign::Equal || into.sign == Sign::NotEqual;
  if (is_equality && text.size() >= 2 && text.front() == '\'' && text.back() == '\'') {
    into.text = text.substr(1, text.size() - 2);
    return into.text.find_first_of("'\\") == into.text.npos;
  }
  const auto number = read_number(text);
  into.integer = number.value_or(0);
  return number.has_value();
}

bool read_test(std::string_view text, SimpleTest& into) {
  if (take(text, "size(self")) {
    into.is_size = true;
    return take_fields(text, into.fields) && take(text, ")") && read_comparison(text, into) &&
           into.integer;
  }
  const bool is_negated = take(text, "!");
  if (take(text, "has(self")) {
    into.sign = is_negated ? Sign::Lacks : Sign::Has;
    return take_fields(text, into.fields) && !into.fields.empty() && text == ")";
  }
  if (!take(text, "self") || !take_fields(text, into.fields)) return false;
  if (!text.empty()) return !is_negated && read_comparison(text, into);
  into.sign = Sign::Equal;
  into.boolean = !is_negated;
  return true;
}

std::optional<SimpleTest> read_simple_test(std::string_view text) {
  SimpleTest test;
  return read_test(text, test) ? std::optional(std::move(test)) : std::nullopt;
}

/// As CEL counts: characters of a text, items of a list, entries of a map.
std::optional<std::int64_t> size_of(View value) {
  if (value->is_map() || value->is_seq()) return value->size;
  if (value.kind() != Kind::String) return std::nullopt;
  const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  return std::ranges::count_if(value->text, begins);
}

/// Where the first term of a conjunction ends: at its ` && `, or at the end. Nothing where `||` or
/// `?` comes in between, which bind less.
std::optional<std::size_t> end_of_term(std::string_view text) {
  int depth = 0;
  char quote = 0;
  std::optional<std::size_t> end;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == '\\') return std::nullopt;
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '\'' || c == '"') quote = c;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (depth != 0) continue;
    const bool is_select = i > 0 && (text[i - 1] == '.' || text[i - 1] == '[');
    if (c == '|' || (c == '?' && !is_select)) return std::nullopt;
    if (!end && text.substr(i).starts_with(" && ")) end = i;
  }
  return end.value_or(text.size());
}

}  // namespace

std::optional<bool> SimpleTest::of(View at) const {
  const bool is_presence = sign <= Sign::Lacks;
  View value = at;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!value->is_map()) return std::nullopt;
    value = value[fields[i]];
    if (value && value.kind() == Kind::Null) return std::nullopt;
    if (is_presence && i + 1 == fields.size())
      return static_cast<bool>(value) == (sign == Sign::Has);
    if (!value) return std::nullopt;
  }
  if (boolean) {
    return value.kind() == Kind::Bool ? std::optional(is_true(value) == *boolean) : std::nullopt;
  }
  if (integer) {
    const auto number = is_size                     ? size_of(value)
                        : value.kind() == Kind::Int ? as_int64(*value)
                                                    : std::nullopt;
    return number ? std::optional(holds(sign, *number <=> *integer)) : std::nullopt;
  }
  if (value.kind() != Kind::String) return std::nullopt;
  return (value->text == text) == (sign == Sign::Equal);
}

std::optional<bool> SimpleTerms::of(View at) const {
  for (const SimpleTest& each : terms) {
    const auto known = each.of(at);
    if (!known || !*known) return known;
  }
  return is_all ? std::optional(true) : std::nullopt;
}

SimpleTerms read_simple_terms(std::string_view text) {
  SimpleTerms result;
  while (true) {
    const auto end = end_of_term(text);
    auto test = end ? read_simple_test(text.substr(0, *end)) : std::nullopt;
    if (!test) return result;
    result.terms.push_back(std::move(*test));
    result.is_all = *end == text.size();
    if (result.is_all) return result;
    text.remove_prefix(*end + std::string_view(" && ").size());
  }
}

}  // namespace trainyard
