#pragma once

#include <string_view>

#include "manifest/pod.h"
#include "tree/typed_fields.h"

namespace trainyard {

/// A field of the container's security context, or else that of the pod.
inline View security_of(const Pod& pod, View container, std::string_view field) {
  const View own = get(get(container, "securityContext"), field);
  return own ? own : get(get(pod.spec, "securityContext"), field);
}

inline bool is_privileged(View container) {
  return is_true(get(get(container, "securityContext"), "privileged"));
}

}  // namespace trainyard
