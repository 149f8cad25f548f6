#pragma once

#include <string_view>

#include "spec/located.h"

namespace trainyard {

/// The oldest of `builds` that a cluster of this version would need and does not have; "" when it
/// has one, or when its version does not say enough: `1.30` may be any build of 1.30. `builds` are
/// those of Fabric.yaml, one for each minor release, oldest first: `1.30.4-gke.1129000`.
std::string_view build_needed(std::string_view version, const TextList& builds);

}  // namespace trainyard
