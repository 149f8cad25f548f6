#include "driver/explain/pod_level.h"

#include "admission/security_standards.h"
#include "manifest/pod.h"

namespace trainyard {

std::string_view PodLevel::name() const {
  return words(level)[static_cast<std::size_t>(level)];
}

PodLevel level_of_pod(View pod, KubernetesVersion version) {
  const Pod read = read_pod(pod, pod, {"", "Pod", "", kIsPod});
  PodLevel result;
  for (SecurityLevel level : {SecurityLevel::Restricted, SecurityLevel::Baseline}) {
    const std::vector<SecurityBreach> found = security_breaches(read, level, version.minor);
    if (found.empty()) {
      result.level = level;
      return result;
    }
    result.because.clear();
    for (const SecurityBreach& each : found) result.because.push_back(each.what);
  }
  result.level = SecurityLevel::Privileged;
  return result;
}

}  // namespace trainyard
