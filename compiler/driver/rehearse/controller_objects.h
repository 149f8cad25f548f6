#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "effective/pods.h"
#include "tree/tree.h"

namespace trainyard {

/// Keys with which pods reach each other by ssh.
struct KeyPair {
  std::string fault;  // why there are none; "" if there are
  std::string secret;
  std::string shared;
};

/// A pod as its controller makes it.
struct MadePod {
  PodRole role;
  std::int64_t index = 0;
  EffectivePod made;
};

/// What a controller does for a job beside its pods.
struct ControllerObjects {
  using Data = std::map<std::string, std::string>;
  std::map<std::string, Data> data;  // of ConfigMaps and Secrets, by their names
  std::string keys;                  // the Secret with keys for ssh; "" if pods need none
  std::string fault;                 // why there are none
  std::vector<std::string> ending;   // roles whose end is that of the job; all if there are none

  bool ends_with(const std::string& role) const;
};

/// The lists of hosts and the keys that pods mount. `pod` is the launcher, if there is one
/// (kubeflow/mpi-operator pkg/controller/mpi_job_controller.go newConfigMap, newSSHAuthSecret;
/// kubeflow/trainer pkg/runtime/framework/plugins/mpi/mpi.go; volcano-sh/volcano
/// pkg/controllers/job/plugins/{svc,ssh}). `make_keys` is asked only if pods need some.
ControllerObjects controller_objects(View job, View pod, const std::vector<MadePod>& pods,
                                     const std::function<KeyPair()>& make_keys);

/// What only a cluster knows is some word.
std::string known_here(std::string_view text);

}  // namespace trainyard
