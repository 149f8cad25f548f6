#include <algorithm>
#include <array>

#include "cel/code_points.h"
#include "cel/collections.h"
#include "cel/functions.h"
#include "cel/string_format.h"

namespace trainyard::cel {
namespace {

using Arguments = std::span<const Value>;

// Indices and lengths count code points.

Value out_of_range(Context& context, std::int64_t index) {
  return context.heap.error("index out of range: " + std::to_string(index));
}

/// The byte of a code point, if the text has that many.
std::optional<std::size_t> byte_at(std::string_view text, std::int64_t index) {
  return index < 0 ? std::nullopt : byte_of(text, static_cast<std::size_t>(index));
}

Value length_value(std::string_view text) {
  return Value::integer(static_cast<std::int64_t>(length_of(text)));
}

bool spend(Context& context, Arguments a) {
  std::size_t size = 0;
  for (const Value& each : a) size += each.is(Type::String) ? each.text().size() : 0;
  return context.spend(size / 8);
}

bool all_strings(Arguments a) {
  return std::ranges::all_of(a, [](const Value& v) { return v.is(Type::String); });
}

Value contains(Context& context, Arguments a) {
  if (!all_strings(a)) return no_overload();
  // As many comparisons as the product of the sizes, in the worst case.
  if (!context.spend(a[0].text().size() / 8 * (1 + a[1].text().size() / 64)))
    return out_of_budget();
  return Value::boolean(a[0].text().find(a[1].text()) != std::string_view::npos);
}

Value starts_with(Context&, Arguments a) {
  return all_strings(a) ? Value::boolean(a[0].text().starts_with(a[1].text())) : no_overload();
}

Value ends_with(Context&, Arguments a) {
  return all_strings(a) ? Value::boolean(a[0].text().ends_with(a[1].text())) : no_overload();
}

Value char_at(Context& context, Arguments a) {
  if (!a[1].is(Type::Int)) return no_overload();
  if (!spend(context, a)) return out_of_budget();
  const auto at = byte_at(a[0].text(), a[1].as_int());
  if (!at) return out_of_range(context, a[1].as_int());
  const std::string_view rest = a[0].text().substr(*at);
  return Value::string(rest.substr(0, rest.empty() ? 0 : code_point_at(rest).size));
}

bool is_search(Arguments a) {
  return a[1].is(Type::String) && (a.size() < 3 || a[2].is(Type::Int));
}

Value index_of(Context& context, Arguments a) {
  if (!is_search(a)) return no_overload();
  if (!context.spend(a[0].text().size() / 8 * (1 + a[1].text().size() / 64)))
    return out_of_budget();
  const std::string_view text = a[0].text();
  const std::int64_t from = a.size() == 3 ? a[2].as_int() : 0;
  if (a[1].text().empty()) return Value::integer(from);
  if (from < 0) return out_of_range(context, from);
  const auto start = byte_at(text, from);
  if (!start) return Value::integer(-1);
  const std::size_t found = text.find(a[1].text(), *start);
  return found == text.npos ? Value::integer(-1) : length_value(text.substr(0, found));
}

Value last_index_of(Context& context, Arguments a) {
  if (!is_search(a)) return no_overload();
  if (!context.spend(a[0].text().size() / 8 * (1 + a[1].text().size() / 64)))
    return out_of_budget();
  const std::string_view text = a[0].text();
  if (a[1].text().empty()) return a.size() == 3 ? a[2] : length_value(text);
  std::size_t start = text.npos;
  if (a.size() == 3) {
    if (a[2].as_int() < 0) return out_of_range(context, a[2].as_int());
    const auto byte = byte_at(text, a[2].as_int());
    if (!byte || *byte == text.size()) return Value::integer(-1);
    start = *byte;
  }
  const std::size_t found = text.rfind(a[1].text(), start);
  return found == text.npos ? Value::integer(-1) : length_value(text.substr(0, found));
}

template <char first, int shift>
Value ascii_case(Context& context, Arguments a) {
  if (!spend(context, a)) return out_of_budget();
  std::string text(a[0].text());
  for (char& c : text) {
    if (c >= first && c < first + 26) c = static_cast<char>(c + shift);
  }
  return context.heap.string(text);
}

/// Up to `most` parts of a text; a negative `most` means all. An empty separator cuts between
/// code points.
std::vector<std::string_view> parts_of(std::string_view text, std::string_view separator,
                                       std::int64_t most) {
  std::vector<std::string_view> parts;
  if (most == 0 || (separator.empty() && text.empty())) return parts;
  while (most < 0 || static_cast<std::int64_t>(parts.size()) + 1 < most) {
    std::size_t size = 0;
    if (separator.empty()) {
      size = code_point_at(text).size;
      if (size == text.size()) break;
    } else {
      size = text.find(separator);
      if (size == text.npos) break;
    }
    parts.push_back(text.substr(0, size));
    text.remove_prefix(size + separator.size());
  }
  parts.push_back(text);
  return parts;
}

Value split(Context& context, Arguments a) {
  if (!is_search(a)) return no_overload();
  if (!spend(context, a)) return out_of_budget();
  const auto parts = parts_of(a[0].text(), a[1].text(), a.size() == 3 ? a[2].as_int() : -1);
  if (!context.spend(parts.size())) return out_of_budget();
  std::vector<Value> items;
  for (std::string_view part : parts) items.push_back(Value::string(part));
  return context.heap.list(items);
}

/// Replaces up to `most` occurrences; the empty text occurs before each code point and at the end.
std::string replaced(std::string_view text, std::string_view old, std::string_view with,
                     std::int64_t most) {
  std::string result;
  for (std::int64_t count = 0; most < 0 || count < most; ++count) {
    std::size_t at = text.find(old);
    if (old.empty() && count > 0) {
      if (text.empty()) break;
      at = code_point_at(text).size;
    }
    if (at == text.npos) break;
    result.append(text.substr(0, at)).append(with);
    text.remove_prefix(at + old.size());
  }
  return result.append(text);
}

Value replace(Context& context, Arguments a) {
  if (!all_strings(a.first(3)) || (a.size() == 4 && !a[3].is(Type::Int))) return no_overload();
  const std::size_t growth =
      a[0].text().size() / std::max<std::size_t>(a[1].text().size(), 1) * a[2].text().size();
  if (!spend(context, a) || !context.spend(growth / 8)) return out_of_budget();
  const std::int64_t most = a.size() == 4 ? a[3].as_int() : -1;
  return context.heap.string(replaced(a[0].text(), a[1].text(), a[2].text(), most));
}

Value substring(Context& context, Arguments a) {
  if (!a[1].is(Type::Int) || (a.size() == 3 && !a[2].is(Type::Int))) return no_overload();
  if (!spend(context, a)) return out_of_budget();
  const std::string_view text = a[0].text();
  const auto first = byte_at(text, a[1].as_int());
  if (a.size() == 2) {
    return first ? Value::string(text.substr(*first)) : out_of_range(context, a[1].as_int());
  }
  if (a[1].as_int() > a[2].as_int()) {
    return context.heap.error("invalid substring range. start: " + std::to_string(a[1].as_int()) +
                              ", end: " + std::to_string(a[2].as_int()));
  }
  const auto last = byte_at(text, a[2].as_int());
  if (!first) return out_of_range(context, a[1].as_int());
  if (!last) return out_of_range(context, a[2].as_int());
  return Value::string(text.substr(*first, *last - *first));
}

Value trim(Context& context, Arguments a) {
  if (!spend(context, a)) return out_of_budget();
  std::string_view text = a[0].text();
  while (!text.empty() && is_space(code_point_at(text).value)) {
    text.remove_prefix(code_point_at(text).size);
  }
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = code_point_at(text.substr(at));
    at += c.size;
    if (!is_space(c.value)) end = at;
  }
  return Value::string(text.substr(0, end));
}

Value join(Context& context, Arguments a) {
  if (a.size() == 2 && !a[1].is(Type::String)) return no_overload();
  const std::string_view separator = a.size() == 2 ? a[1].text() : std::string_view();
  std::string text;
  for (Walker at(a[0]); at; at.next()) {
    const Value item = at.value();
    if (!item.is(Type::String)) return no_overload();
    if (!context.spend(1 + (item.text().size() + separator.size()) / 8)) return out_of_budget();
    if (at.index() > 0) text += separator;
    text += item.text();
  }
  return context.heap.string(text);
}

Value quote(Context& context, Arguments a) {
  if (!spend(context, a)) return out_of_budget();
  constexpr std::string_view specials = "\a\b\f\n\r\t\v\\\"";
  constexpr std::string_view letters = "abfnrtv\\\"";
  std::string text = "\"";
  for (std::string_view rest = a[0].text(); !rest.empty();) {
    const CodePoint c = code_point_at(rest);
    const std::size_t special =
        c.value < 128 ? specials.find(static_cast<char>(c.value)) : specials.npos;
    if (special != specials.npos) {
      text.append("\\").append(1, letters[special]);
    } else {
      append_utf8(c.value, text);
    }
    rest.remove_prefix(c.size);
  }
  return context.heap.string(text + "\"");
}

Value format(Context& context, Arguments a) {
  return a[1].is(Type::List) ? format_string(a[0].text(), a[1], context) : no_overload();
}

constexpr auto kFunctions = std::to_array<Function>({
    {"contains", Style::Member, 2, 2, Type::String, contains},
    {"startsWith", Style::Member, 2, 2, Type::String, starts_with},
    {"endsWith", Style::Member, 2, 2, Type::String, ends_with},
    {"charAt", Style::Member, 2, 2, Type::String, char_at},
    {"indexOf", Style::Member, 2, 3, Type::String, index_of},
    {"lastIndexOf", Style::Member, 2, 3, Type::String, last_index_of},
    {"lowerAscii", Style::Member, 1, 1, Type::String, ascii_case<'A', 'a' - 'A'>},
    {"upperAscii", Style::Member, 1, 1, Type::String, ascii_case<'a', 'A' - 'a'>},
    {"replace", Style::Member, 3, 4, Type::String, replace},
    {"split", Style::Member, 2, 3, Type::String, split},
    {"substring", Style::Member, 2, 3, Type::String, substring},
    {"trim", Style::Member, 1, 1, Type::String, trim},
    {"join", Style::Member, 1, 2, Type::List, join},
    {"strings.quote", Style::Global, 1, 1, Type::String, quote},
    {"format", Style::Member, 2, 2, Type::String, format},
});

}  // namespace

std::span<const Function> string_functions() {
  return kFunctions;
}

}  // namespace trainyard::cel
