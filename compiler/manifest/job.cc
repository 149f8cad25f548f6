#include "manifest/job.h"

#include "tree/typed_fields.h"

namespace trainyard {
namespace {

// kubernetes-sigs/jobset pkg/webhooks/jobset_webhook.go, Default;
// kubeflow/trainer pkg/runtime/framework/plugins/jobset.
constexpr JobPlace kPlaces[] = {
    {.group = "batch", .kind = "Job", .path = "spec", .is_job = true},
    {.group = "batch", .kind = "CronJob", .path = "spec.jobTemplate.spec"},
    {.group = "jobset.x-k8s.io",
     .kind = "JobSet",
     .path = "spec.replicatedJobs[].template.spec",
     .defaults_indexed = true,
     .defaults_restart = true},
    {.group = "trainer.kubeflow.org",
     .kind = "TrainingRuntime",
     .path = "spec.template.spec.replicatedJobs[].template.spec",
     .defaults_indexed = true,
     .sets_counts = true,
     .defaults_restart = true},
    {.group = "trainer.kubeflow.org",
     .kind = "ClusterTrainingRuntime",
     .path = "spec.template.spec.replicatedJobs[].template.spec",
     .defaults_indexed = true,
     .sets_counts = true,
     .defaults_restart = true},
};

}  // namespace

std::span<const JobPlace> job_places() {
  return kPlaces;
}

std::string_view Job::completion_mode() const {
  const std::string_view mode = string_at(spec, "completionMode");
  if (!mode.empty()) return mode;
  return place->defaults_indexed ? "Indexed" : "NonIndexed";
}

std::string_view Job::restart_policy() const {
  const std::string_view policy = string_at(get(get(spec, "template"), "spec"), "restartPolicy");
  return policy.empty() && place->defaults_restart ? "OnFailure" : policy;
}

}  // namespace trainyard
