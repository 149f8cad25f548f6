#pragma once

#include <map>
#include <string>

#include "driver/rehearse/rehearsal.h"

namespace trainyard {

/// Where a pod's files are while it runs; all of it ends with the rehearsal.
struct PodFolders {
  std::string own;     // of this pod
  std::string shared;  // of all pods
};

/// Gives the calling process a root of its own: the files of this machine, the mounts of the pod,
/// and devices without GPUs. Changes of files go to memory. `etc` are files of `/etc`. The process
/// must be alone in its mount namespace, with the rights of an administrator there. What went
/// wrong, or "".
std::string enter_pod_root(const RehearsedPod& pod, const PodFolders& folders,
                           const std::map<std::string, std::string>& etc);

}  // namespace trainyard
