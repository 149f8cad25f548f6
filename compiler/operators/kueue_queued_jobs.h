#pragma once

#include <string_view>

#include "check/check.h"

namespace trainyard::kueue {

// How Kueue's webhooks see the jobs that it queues.

inline constexpr OperatorSpan kKueue{.name = "kueue"};

/// Kinds that Kueue queues.
inline constexpr std::string_view kQueued =
    "core Pod; batch Job; apps Deployment StatefulSet; jobset.x-k8s.io JobSet; "
    "leaderworkerset.x-k8s.io LeaderWorkerSet; trainer.kubeflow.org TrainJob; kubeflow.org "
    "PyTorchJob TFJob XGBoostJob PaddleJob JAXJob MPIJob; ray.io RayCluster RayJob RayService";

// Labels and annotations.
inline constexpr std::string_view kQueueName = "kueue.x-k8s.io/queue-name";
inline constexpr std::string_view kPrebuilt = "kueue.x-k8s.io/prebuilt-workload-name";
inline constexpr std::string_view kElastic = "kueue.x-k8s.io/elastic-job";
inline constexpr std::string_view kLeast = "kueue.x-k8s.io/job-min-parallelism";
inline constexpr std::string_view kGroupName = "kueue.x-k8s.io/pod-group-name";

/// Whether a job may grow and shrink while it runs.
bool is_elastic(View object);

/// Before 0.18 Kueue reads the annotation with feature gate `ElasticJobsViaWorkloadSlices` only.
bool reads_elastic(const CheckContext& context);

/// Whether a job names its queue.
bool is_queued(View object);

/// A label that holds the name of an object. An empty one is no name.
void name_in(View at, std::string_view what, CheckContext& context);

/// The Workload that is there already: the annotation before the label, as of Kueue 0.18.
View prebuilt_of(View object);

/// The MPIJob of the training operator is none of Kueue's, and what serves may be a part of
/// something else that is.
bool is_passed_over(View object);

/// A RayJob in a cluster that is there already, which Kueue does not look at any further.
bool is_in_given_cluster(View object);

/// The group of a pod; "" for none.
std::string_view group_of_pod(View pod);

/// A value of the new object differs from that of the one before; an absent one is empty.
bool differs(View now, View before);

}  // namespace trainyard::kueue
