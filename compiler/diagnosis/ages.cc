#include "diagnosis/ages.h"

#include "cel/times.h"

namespace trainyard {
namespace {

/// `3h12m`, or `3h` where the smaller one is 0.
std::string two(std::int64_t large, char unit, std::int64_t small, char smaller) {
  const std::string text = std::to_string(large) + unit;
  return small == 0 ? text : text + std::to_string(small) + smaller;
}

}  // namespace

std::optional<std::int64_t> seconds_between(std::string_view from, std::string_view to) {
  const auto begin = cel::parse_timestamp(from);
  const auto end = cel::parse_timestamp(to);
  if (!begin || !end) return std::nullopt;
  return end->seconds - begin->seconds;
}

// kubernetes/kubernetes staging/src/k8s.io/apimachinery/pkg/util/duration/duration.go
// HumanDuration
std::string age_text(std::optional<std::int64_t> seconds) {
  if (!seconds || *seconds < 0) return "-";
  const std::int64_t minutes = *seconds / 60;
  const std::int64_t hours = minutes / 60;
  const std::int64_t days = hours / 24;
  if (minutes < 2) return std::to_string(*seconds) + "s";
  if (minutes < 10) return two(minutes, 'm', *seconds % 60, 's');
  if (hours < 3) return std::to_string(minutes) + "m";
  if (hours < 8) return two(hours, 'h', minutes % 60, 'm');
  if (days < 2) return std::to_string(hours) + "h";
  if (days < 8) return two(days, 'd', hours % 24, 'h');
  if (days < 2 * 365) return std::to_string(days) + "d";
  if (days < 8 * 365) return two(days / 365, 'y', days % 365, 'd');
  return std::to_string(days / 365) + "y";
}

}  // namespace trainyard
