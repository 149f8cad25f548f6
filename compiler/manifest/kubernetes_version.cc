#include "manifest/kubernetes_version.h"

#include "source/number_text.h"

namespace trainyard {

std::optional<KubernetesVersion> kubernetes_version(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  const auto major = take_number<int>(text);
  if (!major || !text.starts_with('.')) return std::nullopt;
  text.remove_prefix(1);
  const auto minor = take_number<int>(text);
  if (!minor) return std::nullopt;
  if (!text.empty() && text.find_first_of(".+-") != 0) return std::nullopt;
  return KubernetesVersion{*major, *minor};
}

std::string text(KubernetesVersion version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor);
}

}  // namespace trainyard
