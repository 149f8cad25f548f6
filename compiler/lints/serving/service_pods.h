#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "check/check_context.h"
#include "manifest/pod.h"
#include "tree/tree.h"

namespace trainyard {

/// Whether a Service passes on to pods of an object with these labels, as far as they are known.
bool leads_to(View service, View object, View labels);

/// Those of the Services around that do, of the object's namespace.
std::vector<View> services_leading_to(View object, View labels, const Inventory& inventory);

/// The number of a port that a probe or a Service asks for, also by the name of a container's port.
std::optional<std::int64_t> asked_port(View asked, View container);

/// What the only port of a Service leads to.
struct ServedPort {
  View service;
  View port;
};
/// Of the Services that lead to a pod by an address of their own, for one port each: a headless one
/// passes nothing on.
std::vector<ServedPort> served_ports(const Pod& pod, CheckContext& context);

}  // namespace trainyard
