#include "policy/simple_test.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <compare>
#include <utility>

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
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
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

std::optional<SimpleTest> read_comparison(std::string_view text) {
  constexpr auto kSigns =
      std::to_array<std::pair<std::string_view, Sign>>({{" == ", Sign::Equal},
                                                        {" != ", Sign::NotEqual},
                                                        {" < ", Sign::Less},
                                                        {" <= ", Sign::LessEqual},
                                                        {" > ", Sign::Greater},
                                                        {" >= ", Sign::GreaterEqual}});
  const auto* const sign =
      std::ranges::find_if(kSigns, [&](const auto& each) { return take(text, each.first); });
  if (sign == kSigns.end()) return std::nullopt;
  const bool is_equality = sign->second == Sign::Equal || sign->second == Sign::NotEqual;
  if (is_equality && text.size() >= 2 && text.front() == '\'' && text.back() == '\'') {
    const std::string_view inner = text.substr(1, text.size() - 2);
    if (inner.find_first_of("'\\") != inner.npos) return std::nullopt;
    return SimpleTest{sign->second, inner, {}};
  }
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return SimpleTest{sign->second, {}, number};
}

}  // namespace

std::optional<bool> SimpleTest::of(View at) const {
  if (sign <= Sign::Lacks) {
    if (!at->is_map()) return std::nullopt;
    return static_cast<bool>(at[text]) == (sign == Sign::Has);
  }
  if (integer) {
    const auto number = at.kind() == Kind::Int ? as_int64(*at) : std::nullopt;
    return number ? std::optional(holds(sign, *number <=> *integer)) : std::nullopt;
  }
  if (at.kind() != Kind::String) return std::nullopt;
  return (at->text == text) == (sign == Sign::Equal);
}

std::optional<SimpleTest> read_simple_test(std::string_view text) {
  if (take(text, "self")) return read_comparison(text);
  const Sign sign = take(text, "!") ? Sign::Lacks : Sign::Has;
  if (!take(text, "has(self.") || !text.ends_with(')')) return std::nullopt;
  text.remove_suffix(1);
  return is_plain_name(text) ? std::optional(SimpleTest{sign, text, {}}) : std::nullopt;
}

}  // namespace trainyard
