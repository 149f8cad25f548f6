#include "live/time_word.h"

#include "diag/words.h"
#include "source/number_text.h"

namespace trainyard {
namespace {

struct Unit {
  std::string_view name;
  long milliseconds;
};
constexpr Unit kUnits[] = {
    {"ms", 1}, {"s", 1'000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}};

constexpr long kMost = 100L * 365 * 86'400'000;  // a hundred years

/// Takes the unit off the beginning of `word`; seconds at its end.
std::optional<long> take_unit(std::string_view& word) {
  if (word.empty()) return 1'000;
  for (const Unit& unit : kUnits) {
    if (!word.starts_with(unit.name)) continue;
    word.remove_prefix(unit.name.size());
    return unit.milliseconds;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Milliseconds> read_duration(std::string_view word) {
  if (word.empty()) return std::nullopt;
  long total = 0;
  while (!word.empty()) {
    const auto number = take_number<long>(word);
    if (!number || *number > kMost) return std::nullopt;
    const auto unit = take_unit(word);
    if (!unit || *number > kMost / *unit) return std::nullopt;
    total += *number * *unit;
    if (total > kMost) return std::nullopt;
  }
  return Milliseconds(total);
}

ExitCode wrong_duration(Io& io, std::string_view option, std::string_view word) {
  return wrong_call(io, "`" + std::string(option) + "` is " + shown(word) +
                            "; expected a time such as `30s`, `15m` or `2h`");
}

}  // namespace trainyard
