#include <array>

#include "cel/functions.h"
#include "cel/version.h"

namespace trainyard::cel {
namespace {

using Arguments = std::span<const Value>;

/// The version that the arguments of `semver` and `isSemver` name. Its parts are views of the heap.
std::optional<Version> parsed(Context& context, Arguments a) {
  if (a.size() == 1 || !a[1].as_bool()) return parse_version(a[0].text());
  const auto plain = normalized_version(a[0].text());
  return plain ? parse_version(context.heap.text(*plain)) : std::nullopt;
}

bool is_call(Arguments a) {
  return a.size() == 1 || a[1].is(Type::Bool);
}

Value semver(Context& context, Arguments a) {
  if (!is_call(a)) return no_overload();
  const auto version = parsed(context, a);
  if (version) return Value::semver(context.heap.keep(*version));
  return context.heap.error("`" + std::string(a[0].text()) + "` is no semantic version");
}

Value is_semver(Context& context, Arguments a) {
  return is_call(a) ? Value::boolean(parsed(context, a).has_value()) : no_overload();
}

template <std::uint64_t Version::* part>
Value number(Context&, Arguments a) {
  return Value::integer(static_cast<std::int64_t>(a[0].version().*part));
}

Value compare_to(Context&, Arguments a) {
  if (!a[1].is(Type::Semver)) return no_overload();
  return Value::integer(compare(a[0].version(), a[1].version()));
}

Value is_less_than(Context&, Arguments a) {
  if (!a[1].is(Type::Semver)) return no_overload();
  return Value::boolean(compare(a[0].version(), a[1].version()) < 0);
}

Value is_greater_than(Context&, Arguments a) {
  if (!a[1].is(Type::Semver)) return no_overload();
  return Value::boolean(compare(a[0].version(), a[1].version()) > 0);
}

constexpr auto kFunctions = std::to_array<Function>({
    {"semver", Style::Global, 1, 2, Type::String, semver},
    {"isSemver", Style::Global, 1, 2, Type::String, is_semver},
    {"major", Style::Member, 1, 1, Type::Semver, number<&Version::major>},
    {"minor", Style::Member, 1, 1, Type::Semver, number<&Version::minor>},
    {"patch", Style::Member, 1, 1, Type::Semver, number<&Version::patch>},
    {"compareTo", Style::Member, 2, 2, Type::Semver, compare_to},
    {"isLessThan", Style::Member, 2, 2, Type::Semver, is_less_than},
    {"isGreaterThan", Style::Member, 2, 2, Type::Semver, is_greater_than},
});

}  // namespace

std::span<const Function> semver_functions() {
  return kFunctions;
}

}  // namespace trainyard::cel
