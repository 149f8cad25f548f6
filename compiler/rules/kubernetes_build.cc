#include "rules/kubernetes_build.h"

#include <cstdint>
#include <optional>

#include "source/number_text.h"

namespace trainyard {
namespace {

/// `1.30.4-gke.1129000`; what follows the minor release may be left out.
struct Build {
  std::int64_t minor = 0;
  std::optional<std::int64_t> patch;
  std::string_view vendor;
  std::optional<std::int64_t> number;
};

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<Build> parsed(std::string_view text) {
  take(text, 'v');
  const auto major = take_number(text);
  if (!major || *major != 1 || !take(text, '.')) return std::nullopt;
  const auto minor = take_number(text);
  if (!minor) return std::nullopt;
  Build build{*minor, std::nullopt, {}, std::nullopt};
  if (!take(text, '.')) return build;
  build.patch = take_number(text);
  if (!build.patch || !take(text, '-')) return build;
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return build;
  build.vendor = text.substr(0, dot);
  text.remove_prefix(dot + 1);
  build.number = take_number(text);
  return build;
}

/// Of one minor release, and surely: what is not said may be new enough.
bool is_older(const Build& has, const Build& least) {
  if (!has.patch || !least.patch) return false;
  if (*has.patch != *least.patch) return *has.patch < *least.patch;
  if (has.vendor != least.vendor || !has.number || !least.number) return false;
  return *has.number < *least.number;
}

}  // namespace

std::string_view build_needed(std::string_view version, const TextList& builds) {
  const auto has = parsed(version);
  if (!has) return {};
  for (const Text& each : *builds) {
    const auto least = parsed(*each);
    if (!least || least->minor < has->minor) continue;
    const bool enough = least->minor == has->minor && !is_older(*has, *least);
    return enough ? std::string_view() : *each;
  }
  return {};
}

}  // namespace trainyard
