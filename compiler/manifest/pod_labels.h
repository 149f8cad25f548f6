#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "manifest/workload.h"

namespace trainyard {

/// A label of a role's pods: one that the controller gives them, or one of the template.
std::optional<std::string> label_of(const Workload& workload, const WorkloadRole& role,
                                    std::string_view key);

}  // namespace trainyard
