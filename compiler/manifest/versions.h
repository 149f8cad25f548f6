#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manifest/kubernetes_version.h"
#include "plan/release.h"

namespace trainyard {

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
