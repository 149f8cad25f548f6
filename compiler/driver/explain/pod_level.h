#pragma once

#include <string>
#include <vector>

#include "manifest/kubernetes_version.h"
#include "spec/training_job.h"
#include "tree/tree.h"

namespace trainyard {

/// The strictest level of the Pod Security Standards that lets a pod in.
struct PodLevel {
  SecurityLevel level = SecurityLevel::Restricted;
  std::vector<std::string> because;  // what a stricter one refuses: "`hostNetwork` is true"

  std::string_view name() const;
};

/// Of a pod as it reaches the API server.
PodLevel level_of_pod(View pod, KubernetesVersion version);

}  // namespace trainyard
