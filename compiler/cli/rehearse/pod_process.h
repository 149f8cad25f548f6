#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "cli/rehearse/pod_root.h"
#include "driver/rehearse/rehearsal.h"

namespace trainyard {

/// The calling process becomes the program of a pod. It is alone in its namespaces and has the
/// rights of an administrator there, which the program does not get. `user` and `group` are those
/// of the caller outside. `has_outside` says that a device leads outside. Ends with 125 and a
/// sentence on standard error where that fails.
[[noreturn]] void become_pod(const Rehearsal& rehearsal, const RehearsedPod& pod,
                             const PodFolders& folders, uid_t user, gid_t group, bool has_outside);

/// Runs `ip` (iproute2) over lines of commands, which may name `files` as `/proc/self/fd/NUMBER`.
/// What went wrong, or "".
std::string run_ip(const std::string& lines, const std::vector<int>& files = {});

}  // namespace trainyard
