#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manifest/pod.h"
#include "spec/training_job.h"
#include "tree/tree.h"

namespace trainyard {

// The Pod Security Standards, as the admission plugin of the API server holds pods to them.
// kubernetes/kubernetes staging/src/k8s.io/pod-security-admission/policy

/// `baseline`; nothing for what is no level.
std::optional<SecurityLevel> security_level(std::string_view text);

/// A version of the standards as labels name it: the 33 of `v1.33`, and `newest` for `latest`;
/// nothing for what is neither.
std::optional<int> standards_version(std::string_view text, int newest);

/// Something that a level does not let a pod have, or wants it to have.
struct SecurityBreach {
  std::vector<std::string> rules;  // as the plugin calls them: `hostNamespaces`
  View at;                         // what is wrong, or what lacks something
  std::string what;                // "`hostNetwork` is true"
  bool lacks = false;              // by a missing field, which an operator may still add
};

/// What a pod breaks of a level, as it stood in Kubernetes 1.`minor`; in the order of containers,
/// what a container lacks in one breach.
std::vector<SecurityBreach> security_breaches(const Pod& pod, SecurityLevel level, int minor);

}  // namespace trainyard
