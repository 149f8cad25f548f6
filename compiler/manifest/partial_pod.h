#pragma once

#include "manifest/pod.h"

namespace trainyard {

/// PodPlace::controller_defaults of a part of a pod whose rest is not known here: whatever is left
/// out may come from there, a limit for a request, too.
inline constexpr std::uint16_t kRestUnknown = kIsPatch | kSetsHostname;

inline bool is_rest_unknown(const Pod& pod) {
  return (pod.controller_defaults & kRestUnknown) == kRestUnknown;
}

}  // namespace trainyard
