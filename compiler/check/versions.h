#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/kubernetes_version.h"

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

  /// For people: "jobset 0.8 and later", "trainer from 2.0, before 2.2".
  std::string phrase() const;
};

/// What will read the objects: Kubernetes, and the operators whose versions are known.
struct Versions {
  KubernetesVersion kubernetes;

  /// Nothing is noted when `version` is none.
  void add(std::string_view name, std::string_view version);
  std::optional<Release> of(std::string_view name) const;
  /// Whether the operator is in `span`. One whose version is not known is the newest.
  bool within(const OperatorSpan& span) const;

 private:
  struct Known {
    std::string name;
    Release version;
  };
  std::vector<Known> operators_;
};

}  // namespace trainyard
