#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "manifest/inventory.h"
#include "manifest/pod.h"
#include "tree/tree.h"

namespace trainyard {

/// Where a path of a container leads: into the volume that is mounted the deepest above it.
struct MountedPath {
  View mount;   // of the container
  View volume;  // of the pod
  std::string
      below;  // the path inside the volume, without a `/` in front; "" for the volume itself
};

/// Nothing for a path of the image, one that is not absolute, and one with `..` or an empty step.
std::optional<MountedPath> mounted_path(const Pod& pod, View container, std::string_view path);

/// Whether a volume is mounted at a path of a container, or above it.
bool is_mounted(View container, std::string_view path);

/// The ConfigMaps of a name in the namespace of `object`; layers of a kustomization have one each.
std::vector<View> config_maps_of(const Inventory& inventory, View object, std::string_view name);

/// What a file holds that a volume makes of a ConfigMap; an empty view where it is not known, or
/// where several objects have it.
View config_map_text(const Inventory& inventory, View object, const MountedPath& path);

}  // namespace trainyard
