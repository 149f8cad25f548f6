#pragma once

#include <cstdint>

#include "effective/pods.h"

namespace trainyard {

/// The pod at `index` that the Job controller makes from a batch/v1 Job.
/// kubernetes/kubernetes pkg/controller/job/job_controller.go, indexed_job_utils.go
EffectivePod job_pod(PodBuilder& maker, View job, std::int64_t index, KubernetesVersion version);

/// How many pods a Job has at once, or in all when it is indexed.
std::int64_t job_pod_count(View job);

}  // namespace trainyard
