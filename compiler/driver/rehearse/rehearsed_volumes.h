#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "driver/rehearse/controller_objects.h"
#include "driver/rehearse/rehearsal.h"
#include "manifest/inventory.h"
#include "tree/tree.h"

namespace trainyard {

/// What a container of a pod finds at its mount paths. `folders` are the user's own, by the path of
/// the container. What is not as in the cluster is appended to `differences`.
std::vector<RehearsedMount> rehearsed_mounts(const Inventory& inventory,
                                             const ControllerObjects& objects,
                                             std::string_view name_space, View pod_spec,
                                             View container,
                                             const std::map<std::string, std::string>& folders,
                                             std::vector<std::string>& differences);

/// Whether one of the user's folders is at a path, above it, or below it.
bool shows(const std::map<std::string, std::string>& folders, const std::string& path);

}  // namespace trainyard
