#pragma once

#include <span>
#include <string_view>

#include "check/check_context.h"
#include "tree/tree.h"

namespace trainyard {

/// A file mode of a volume: 0 to 0777, which YAML 1.2 and JSON write as 511.
void check_mode(View mode, CheckContext& context);

/// `items` of a ConfigMap or Secret: each a key and a path below the volume.
void check_key_paths(View source, CheckContext& context);

/// The fields of a PersistentVolume's `spec` that say where it is; a volume has one of them.
/// kubernetes/api core/v1/types.go PersistentVolumeSource
std::span<const std::string_view> persistent_volume_sources();

/// `items` of a downwardAPI volume or projection.
void check_downward_files(View source, CheckContext& context);

}  // namespace trainyard
