#pragma once

#include <cstdint>
#include <string>

#include "manifest/workload.h"

namespace trainyard {

/// "1 pod", "8 pods".
std::string counted_pods(std::int64_t count);
/// Whether the program of a role waits for the pods of all its indexes.
bool waits_for_all(const WorkloadRole& role);
/// Whether the pods of a workload make up one job: those of an Indexed Job or a JobSet may as well
/// be jobs side by side.
bool is_distributed(const Workload& workload);
/// Whether the job may run with fewer pods than it has.
bool is_elastic(const Workload& workload);

}  // namespace trainyard
