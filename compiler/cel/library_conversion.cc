#include <array>
#include <cmath>

#include "cel/code_points.h"
#include "cel/collections.h"
#include "cel/functions.h"
#include "cel/numbers.h"
#include "cel/text_of.h"
#include "cel/times.h"
#include "source/number_text.h"

namespace trainyard::cel {
namespace {

using Arguments = std::span<const Value>;

Value range_error() {
  return Value::error("integer overflow");
}

template <class T>
std::optional<T> whole(std::string_view text) {
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  return read_number<T>(text);
}

Value bad_text(Context& context, std::string_view text, std::string_view type) {
  return context.heap.error("cannot read `" + std::string(text) + "` as " + std::string(type));
}

Value to_int(Context& context, Arguments a) {
  const Value& v = a[0];
  switch (v.type()) {
    case Type::Int:
      return v;
    case Type::Uint:
      return v.as_uint() > INT64_MAX ? range_error()
                                     : Value::integer(static_cast<std::int64_t>(v.as_uint()));
    case Type::Double: {
      const bool fits = v.as_double() > -0x1p63 && v.as_double() < 0x1p63;  // NaN does not
      return fits ? Value::integer(static_cast<std::int64_t>(v.as_double())) : range_error();
    }
    case Type::String: {
      const auto number = whole<std::int64_t>(v.text());
      return number ? Value::integer(*number) : bad_text(context, v.text(), "an int");
    }
    case Type::Timestamp:
      return Value::integer(v.moment().seconds);
    case Type::Duration:
      return Value::integer(v.as_int());
    default:
      return no_overload();
  }
}

Value to_uint(Context& context, Arguments a) {
  const Value& v = a[0];
  switch (v.type()) {
    case Type::Uint:
      return v;
    case Type::Int:
      return v.as_int() < 0 ? range_error()
                            : Value::unsigned_integer(static_cast<std::uint64_t>(v.as_int()));
    case Type::Double: {
      const bool fits = v.as_double() >= 0 && v.as_double() < 0x1p64;
      return fits ? Value::unsigned_integer(static_cast<std::uint64_t>(v.as_double()))
                  : range_error();
    }
    case Type::String: {
      const bool sign = v.text().starts_with('+');
      const auto number = sign ? std::nullopt : whole<std::uint64_t>(v.text());
      return number ? Value::unsigned_integer(*number) : bad_text(context, v.text(), "a uint");
    }
    default:
      return no_overload();
  }
}

Value to_double(Context& context, Arguments a) {
  const Value& v = a[0];
  switch (v.type()) {
    case Type::Double:
      return v;
    case Type::Int:
      return Value::number(static_cast<double>(v.as_int()));
    case Type::Uint:
      return Value::number(static_cast<double>(v.as_uint()));
    case Type::String: {
      const auto number = parse_double(v.text());
      return number ? Value::number(*number) : bad_text(context, v.text(), "a double");
    }
    default:
      return no_overload();
  }
}

Value to_string(Context& context, Arguments a) {
  if (a[0].is(Type::String)) return a[0];
  if (a[0].is(Type::Bytes)) {
    return is_utf8(a[0].text()) ? Value::string(a[0].text())
                                : Value::error("bytes that are not UTF-8");
  }
  const auto text = text_of(a[0]);
  return text ? context.heap.string(*text) : no_overload();
}

Value to_bytes(Context&, Arguments a) {
  if (a[0].is(Type::Bytes)) return a[0];
  return a[0].is(Type::String) ? Value::bytes(a[0].text()) : no_overload();
}

Value to_bool(Context& context, Arguments a) {
  if (a[0].is(Type::Bool)) return a[0];
  if (!a[0].is(Type::String)) return no_overload();
  constexpr std::array<std::string_view, 6> yes = {"1", "t", "T", "true", "TRUE", "True"};
  constexpr std::array<std::string_view, 6> no = {"0", "f", "F", "false", "FALSE", "False"};
  for (std::string_view word : yes) {
    if (a[0].text() == word) return Value::boolean(true);
  }
  for (std::string_view word : no) {
    if (a[0].text() == word) return Value::boolean(false);
  }
  return bad_text(context, a[0].text(), "a bool");
}

Value to_duration(Context& context, Arguments a) {
  if (a[0].is(Type::Duration)) return a[0];
  if (!a[0].is(Type::String)) return no_overload();
  const auto nanos = parse_duration(a[0].text());
  return nanos ? Value::duration(*nanos) : bad_text(context, a[0].text(), "a duration");
}

Value to_timestamp(Context& context, Arguments a) {
  if (a[0].is(Type::Timestamp)) return a[0];
  if (a[0].is(Type::Int)) {
    const Moment moment{a[0].as_int(), 0};
    return in_range(moment) ? Value::timestamp(moment) : Value::error("timestamp overflow");
  }
  if (!a[0].is(Type::String)) return no_overload();
  const auto moment = parse_timestamp(a[0].text());
  return moment ? Value::timestamp(*moment) : bad_text(context, a[0].text(), "a timestamp");
}

Value to_dyn(Context&, Arguments a) {
  return a[0];
}

Value type_of(Context&, Arguments a) {
  return Value::type(type_name(a[0].type()));
}

Value size(Context&, Arguments a) {
  switch (a[0].type()) {
    case Type::String:
      return Value::integer(static_cast<std::int64_t>(length_of(a[0].text())));
    case Type::Bytes:
      return Value::integer(static_cast<std::int64_t>(a[0].text().size()));
    case Type::List:
    case Type::Map:
      return Value::integer(static_cast<std::int64_t>(size_of(a[0])));
    default:
      return no_overload();
  }
}

constexpr auto kFunctions = std::to_array<Function>({
    {"int", Style::Global, 1, 1, Type::Error, to_int},
    {"uint", Style::Global, 1, 1, Type::Error, to_uint},
    {"double", Style::Global, 1, 1, Type::Error, to_double},
    {"string", Style::Global, 1, 1, Type::Error, to_string},
    {"bytes", Style::Global, 1, 1, Type::Error, to_bytes},
    {"bool", Style::Global, 1, 1, Type::Error, to_bool},
    {"duration", Style::Global, 1, 1, Type::Error, to_duration},
    {"timestamp", Style::Global, 1, 1, Type::Error, to_timestamp},
    {"dyn", Style::Global, 1, 1, Type::Error, to_dyn},
    {"type", Style::Global, 1, 1, Type::Error, type_of},
    {"size", Style::Global, 1, 1, Type::Error, size},
    {"size", Style::Member, 1, 1, Type::Error, size},
});

}  // namespace

std::span<const Function> conversion_functions() {
  return kFunctions;
}

}  // namespace trainyard::cel
