#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "check/check.h"
#include "tree/typed_fields.h"

namespace trainyard::jobset {

/// The largest number that Kubernetes takes for a count.
inline constexpr std::int64_t kMaxInt = std::numeric_limits<std::int32_t>::max();

inline constexpr std::string_view kCreate =
    "kubernetes-sigs/jobset pkg/webhooks/jobset_webhook.go ValidateCreate";

inline constexpr std::string_view kWithRuntimes =
    "jobset.x-k8s.io JobSet; trainer.kubeflow.org TrainingRuntime ClusterTrainingRuntime";

inline constexpr OperatorSpan kOperator{.name = "jobset"};

// The parts of a JobSet that several of its checks read.

/// Whether an object is a JobSet itself and no runtime of Trainer.
bool is_jobset(View object);

/// The spec of a JobSet, or of the one that a training runtime makes for each TrainJob.
View spec_of(View object);

/// Its replicated jobs.
Items roles_of(View object);

/// Of a replicated job: the spec of its Jobs, that of its pods, whether the Jobs are indexed.
View job_spec(View role);
View pod_spec(View role);
bool is_indexed(View role);

/// The names of the replicated jobs.
std::vector<std::string_view> names_of(View object);

/// Refuses what stands at `at` if it is none of the names of the replicated jobs.
void a_role(View at, const std::vector<std::string_view>& names, CheckContext& context);

}  // namespace trainyard::jobset
