#pragma once

#include <cstdint>

#include "effective/pod_builder.h"

namespace trainyard {

/// The Job at `index` of a replicated job, as the JobSet controller makes it once the webhook has
/// filled in its defaults. kubernetes-sigs/jobset pkg/controllers/jobset_controller.go
NodeId job_of_job_set(PodBuilder& maker, View job_set, View replicated_job, std::int64_t index);

}  // namespace trainyard
