#include <array>

#include "cel/code_points.h"
#include "cel/functions.h"
#include "cel/regexes.h"

namespace trainyard::cel {
namespace {

using Arguments = std::span<const Value>;

/// Up to so many instructions the length of a pattern says what it costs. Beyond, each costs a
/// step.
constexpr std::size_t kUsualProgram = 1000;

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}

/// The compiled pattern, or the error.
const RE2* pattern_of(Context& context, Arguments a, Value& fault) {
  fault = no_overload();
  if (!a[0].is(Type::String) || !a[1].is(Type::String)) return nullptr;
  fault = out_of_budget();
  const std::size_t work = (a[0].text().size() / 8 + 1) * (a[1].text().size() / 4 + 1);
  if (!context.spend(work)) return nullptr;
  fault = context.heap.error("`" + std::string(a[1].text()) + "` is no regular expression");
  const RE2* pattern = context.regexes().get(a[1].text());
  const auto size = static_cast<std::size_t>(pattern == nullptr ? 0 : pattern->ProgramSize());
  if (size <= kUsualProgram || context.spend(size)) return pattern;
  fault = out_of_budget();
  return nullptr;
}

Value matches(Context& context, Arguments a) {
  Value fault;
  const RE2* pattern = pattern_of(context, a, fault);
  if (pattern == nullptr) return fault;
  return Value::boolean(RE2::PartialMatch(piece(a[0].text()), *pattern));
}

bool search(const RE2& pattern, std::string_view text, std::size_t from, std::string_view& found) {
  re2::StringPiece match;
  if (!pattern.Match(piece(text), from, text.size(), RE2::UNANCHORED, &match, 1)) return false;
  found = {match.data(), match.size()};
  return true;
}

Value find(Context& context, Arguments a) {
  Value fault;
  const RE2* pattern = pattern_of(context, a, fault);
  if (pattern == nullptr) return fault;
  std::string_view found;
  search(*pattern, a[0].text(), 0, found);
  return Value::string(found);
}

/// All matches that do not overlap; an empty one right behind another does not count.
Value find_all(Context& context, Arguments a) {
  if (a.size() == 3 && !a[2].is(Type::Int)) return no_overload();
  Value fault;
  const RE2* pattern = pattern_of(context, a, fault);
  if (pattern == nullptr) return fault;
  const std::int64_t most = a.size() == 3 && a[2].as_int() >= 0 ? a[2].as_int() : INT64_MAX;
  const std::string_view text = a[0].text();
  std::vector<Value> items;
  std::size_t from = 0;
  std::size_t end_of_last = std::string_view::npos;
  std::string_view found;
  while (static_cast<std::int64_t>(items.size()) < most && from <= text.size() &&
         search(*pattern, text, from, found)) {
    if (!context.spend(1 + found.size() / 8)) return out_of_budget();
    const auto begin = static_cast<std::size_t>(found.data() - text.data());
    if (!found.empty() || begin != end_of_last) items.push_back(Value::string(found));
    end_of_last = begin + found.size();
    from = end_of_last;
    if (found.empty()) from += from < text.size() ? code_point_at(text.substr(from)).size : 1U;
  }
  return context.heap.list(items);
}

constexpr auto kFunctions = std::to_array<Function>({
    {"matches", Style::Member, 2, 2, Type::String, matches},
    {"matches", Style::Global, 2, 2, Type::String, matches},
    {"find", Style::Member, 2, 2, Type::String, find},
    {"findAll", Style::Member, 2, 3, Type::String, find_all},
});

}  // namespace

std::span<const Function> regex_functions() {
  return kFunctions;
}

}  // namespace trainyard::cel
