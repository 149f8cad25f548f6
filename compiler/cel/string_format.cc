#include "cel/string_format.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cel/collections.h"
#include "cel/numbers.h"
#include "cel/text_of.h"
#include "source/characters.h"

namespace trainyard::cel {
namespace {

constexpr int kDefaultPrecision = 6;
constexpr int kMostPrecision = 1000;

/// One argument spelled; nothing when the clause is not for its type.
using Spelled = std::optional<std::string>;

std::string number_text(double number) {
  if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
  return double_text(number);
}

Spelled spell_list(const Value& list, Context& context);
Spelled spell_map(const Value& map, Context& context);

Spelled spell(const Value& value, Context& context) {
  if (!context.spend(1)) return std::nullopt;
  switch (value.type()) {
    case Type::List:
      return spell_list(value, context);
    case Type::Map:
      return spell_map(value, context);
    case Type::Null:
      return "null";
    case Type::Double:
      return number_text(value.as_double());
    case Type::String:
    case Type::Bytes:
      if (!context.spend(value.text().size() / 8)) return std::nullopt;
      return std::string(value.text());
    case Type::Ip:
    case Type::Cidr:
      return std::nullopt;
    default:
      return text_of(value);
  }
}

Spelled spell_list(const Value& list, Context& context) {
  std::string text = "[";
  for (Walker at(list); at; at.next()) {
    const Spelled item = spell(at.value(), context);
    if (!item) return std::nullopt;
    text.append(at.index() > 0 ? ", " : "").append(*item);
  }
  return text + "]";
}

Spelled spell_map(const Value& map, Context& context) {
  std::vector<std::pair<std::string, std::string>> entries;
  for (Walker at(map); at; at.next()) {
    Spelled key = spell(at.key(), context);
    Spelled value = spell(at.value(), context);
    if (!key || !value) return std::nullopt;
    entries.emplace_back(std::move(*key), std::move(*value));
  }
  std::ranges::sort(entries);
  std::string text = "{";
  for (const auto& [key, value] : entries) {
    text.append(text.size() > 1 ? ", " : "").append(key).append(": ").append(value);
  }
  return text + "}";
}

/// The double that a clause for numbers with a point takes; some words stand for one.
std::optional<double> as_double(const Value& value) {
  switch (value.type()) {
    case Type::Double:
      return value.as_double();
    case Type::Int:
      return static_cast<double>(value.as_int());
    case Type::Uint:
      return static_cast<double>(value.as_uint());
    case Type::String:
      if (value.text() == "NaN" || value.text() == "Infinity" || value.text() == "-Infinity") {
        return parse_double(value.text());
      }
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

Spelled spell_number(const Value& value, bool scientific, int precision) {
  const auto number = as_double(value);
  if (!number) return std::nullopt;
  if (!std::isfinite(*number)) return number_text(*number);
  return scientific ? scientific_text(*number, precision) : fixed_text(*number, precision);
}

std::string upper(std::string text) {
  for (char& c : text) {
    c = to_upper(c);
  }
  return text;
}

Spelled spell_integer(const Value& value, int base) {
  char buffer[72];
  char* end = buffer;
  if (value.is(Type::Int)) {
    end = std::to_chars(buffer, buffer + sizeof buffer, value.as_int(), base).ptr;
  } else if (value.is(Type::Uint)) {
    end = std::to_chars(buffer, buffer + sizeof buffer, value.as_uint(), base).ptr;
  } else {
    return std::nullopt;
  }
  return std::string(buffer, end);
}

Spelled spell_hex(const Value& value) {
  if (!value.is(Type::String) && !value.is(Type::Bytes)) return spell_integer(value, 16);
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (char c : value.text()) {
    text += digits[static_cast<unsigned char>(c) >> 4];
    text += digits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

Spelled spell_as(char clause, int precision, const Value& value, Context& context) {
  switch (clause) {
    case 's':
      return spell(value, context);
    case 'd':
      if (value.is(Type::Double) && !std::isfinite(value.as_double())) return spell(value, context);
      return spell_integer(value, 10);
    case 'f':
      return spell_number(value, false, precision);
    case 'e':
      return spell_number(value, true, precision);
    case 'b':
      return value.is(Type::Bool) ? (value.as_bool() ? "1" : "0") : spell_integer(value, 2);
    case 'x':
      return spell_hex(value);
    case 'X': {
      const Spelled text = spell_hex(value);
      return text ? Spelled(upper(*text)) : std::nullopt;
    }
    default:
      return spell_integer(value, 8);
  }
}

/// `.3` in front of a clause.
bool take_precision(std::string_view& rest, int& precision) {
  if (!rest.starts_with('.')) return true;
  const auto [end, fault] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), precision);
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return fault == std::errc() && precision >= 0 && precision <= kMostPrecision;
}

}  // namespace

Value format_string(std::string_view form, const Value& arguments, Context& context) {
  std::string text;
  Walker argument(arguments);
  std::string_view rest = form;
  while (!rest.empty()) {
    const std::size_t percent = rest.find('%');
    text += rest.substr(0, percent);
    rest.remove_prefix(std::min(percent, rest.size()));
    if (rest.empty()) break;
    rest.remove_prefix(1);
    if (rest.starts_with('%')) {
      text += '%';
      rest.remove_prefix(1);
      continue;
    }
    int precision = kDefaultPrecision;
    constexpr std::string_view clauses = "sdfebxXo";
    if (!take_precision(rest, precision) || rest.empty() || clauses.find(rest[0]) == clauses.npos) {
      return Value::error("could not parse formatting clause");
    }
    if (!argument) return Value::error("more formatting clauses than arguments");
    const Spelled spelled = spell_as(rest[0], precision, argument.value(), context);
    if (!spelled) {
      return context.heap.error("the formatting clause `" + std::string(1, rest[0]) +
                                "` does not take a value of type " +
                                std::string(type_name(argument.value().type())));
    }
    text += *spelled;
    rest.remove_prefix(1);
    argument.next();
  }
  return context.spend(text.size() / 8) ? context.heap.string(text) : out_of_budget();
}

}  // namespace trainyard::cel
