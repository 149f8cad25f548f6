#pragma once

#include "convert/conversion.h"

namespace trainyard {

// How long a job runs and what happens when it fails, as `lifecycle`.

/// Of a Job that names none (kubernetes/kubernetes pkg/apis/batch/v1/defaults.go).
inline constexpr std::int64_t kDefaultBackoffLimit = 6;

/// Seconds of a field into a length of time of `lifecycle`.
void read_seconds(Conversion& job, View seconds, std::string_view field);
/// The same for a Job that may be one of several programs.
void read_seconds_of_role(Conversion& job, View seconds, std::string_view field);

/// `backoffLimit` and `podFailurePolicy` of a batch/v1 Job of so many pods.
void read_retries(Conversion& job, View job_spec, std::int64_t pods);

/// Whether a `podFailurePolicy` ignores pods that the cluster took away, and does nothing else.
bool ignores_disruptions_alone(View policy);

/// `podFailurePolicy` alone; what `retryOn` says of the same is `otherwise` where there is none.
void read_failure_policy(Conversion& job, View job_spec, std::string_view otherwise);

/// `suspend`, which belongs to Kueue where that queues the job.
void read_suspend(Conversion& job, View suspend);

}  // namespace trainyard
