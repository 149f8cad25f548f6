#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace trainyard {

/// A release of Kubernetes, as far as its API is concerned: `1.33`.
struct KubernetesVersion {
  int major = 1;
  int minor = 36;  // the newest that the checks know

  friend auto operator<=>(const KubernetesVersion&, const KubernetesVersion&) = default;
};

/// Reads `1.33`, `v1.33.4`, `1.33.5-gke.100`. Nothing when no minor version can be seen.
std::optional<KubernetesVersion> kubernetes_version(std::string_view text);

std::string text(KubernetesVersion version);

}  // namespace trainyard
