#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trainyard::cel {

/// A version as semver.org has it: `1.2.3-rc.1+build`. The parts behind the numbers are views.
struct Version {
  std::uint64_t major = 0, minor = 0, patch = 0;
  std::string_view prerelease;  // without `-`
  std::string_view build;       // without `+`; does not count in comparisons
};

std::optional<Version> parse_version(std::string_view text);
/// What the tolerant reading makes of a text before it is parsed: no `v` in front, no leading
/// zeros, missing numbers are 0. Nothing for a short version with a prerelease.
std::optional<std::string> normalized_version(std::string_view text);
/// The precedence of two versions, as -1, 0 or 1.
int compare(const Version& a, const Version& b);

}  // namespace trainyard::cel
