#pragma once

#include "convert/conversion.h"

namespace trainyard {

/// Reads the spec of a JobSet, also of one that Trainer makes.
void read_job_set(Conversion& job, View spec);

/// What the language calls a role of this name: `workers` is `worker`. "" for none.
std::string_view role_word(std::string_view name);

/// The annotation that keeps other jobs out of a domain of the topology, and its level.
// kubernetes-sigs/jobset api/jobset/v1alpha2/jobset_types.go
inline constexpr std::string_view kExclusiveTopology =
    "alpha.jobset.sigs.k8s.io/exclusive-topology";
void carry_exclusive_topology(Conversion& job, ConvertedRole& role, View level);

}  // namespace trainyard
