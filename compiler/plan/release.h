#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace trainyard {

/// A release of an operator: `v2.3.0`, `0.12`. Missing parts are zero.
struct Release {
  int major = 0;
  int minor = 0;
  int patch = 0;

  friend auto operator<=>(const Release&, const Release&) = default;
};

/// Nothing when `text` does not begin like a version.
std::optional<Release> release(std::string_view text);

/// The releases of an operator for which something holds.
struct OperatorSpan {
  std::string_view name = {};    // as a Cluster calls it: `trainer`, `jobset`; "" for no operator
  std::string_view since = {};   // the first release; "" for all before as well
  std::string_view before = {};  // the first release for which it no longer holds; "" for none

  /// Whether it holds for this release; one that is not known is the newest.
  bool holds(const std::optional<Release>& release_of_operator) const;
  /// For people: "jobset 0.8 and later", "trainer from 2.0, before 2.2".
  std::string phrase() const;
};

}  // namespace trainyard
