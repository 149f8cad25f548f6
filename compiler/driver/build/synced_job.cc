#include "driver/build/synced_job.h"

#include "manifest/go_text.h"
#include "operators/kueue_queued_jobs.h"
#include "plan/plan.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kCompletionsFollow = "kueue.x-k8s.io/job-completions-equal-parallelism";

/// Kueue writes the node selectors, tolerations and labels of an admission into the worker groups
/// of a RayJob: kubernetes-sigs/kueue pkg/controller/jobs/rayjob/rayjob_controller.go
/// RunWithPodSetsInfo. The list is atomic, so a sync would take them away, and KubeRay would make
/// the next cluster of a retry without them. A run with a name of its own never changes its groups.
std::vector<std::string_view> shared_ray_fields(View object) {
  const bool has_run = bool(get(object["metadata"]["labels"], kRunLabel));
  if (!has_run || !kueue::is_queued(object)) return {};
  return {"/spec/rayClusterSpec/workerGroupSpecs"};
}

/// Kueue starts a Job with fewer pods where the Job allows that, and writes their number into it:
/// kubernetes-sigs/kueue pkg/controller/jobs/job/job_controller.go RunWithPodSetsInfo. KubeRay
/// leaves the spec of a RayJob alone: its autoscaler scales the RayCluster
/// (ray-project/kuberay ray-operator/controllers/ray/rayjob_controller.go).
std::vector<std::string_view> shared_fields(const JobKind& kind, View object) {
  if (kind.group == "ray.io" && kind.kind == "RayJob") return shared_ray_fields(object);
  if (kind.group != "batch" || kind.kind != "Job") return {};
  const View annotations = object["metadata"]["annotations"];
  if (!get(annotations, kueue::kLeast)) return {};
  const bool both = go_bool(string_at(annotations, kCompletionsFollow)).value_or(false);
  if (both) return {"/spec/parallelism", "/spec/completions"};
  return {"/spec/parallelism"};
}

}  // namespace

void note_synced_jobs(const JobKinds& kinds, const ObjectSet& objects, const JobUnit& unit,
                      std::string_view job, std::vector<SyncedJob>& out) {
  for (const Object& each : objects.objects) {
    const View object(objects.tree, each.root);
    const JobKind* kind = kinds.find(object);
    if (kind == nullptr || !kind->is_job()) continue;
    SyncedJob& added = out.emplace_back();
    added.team = unit.team;
    added.job = job;
    added.kind = kind;
    added.ns = object["metadata"]["namespace"].text();
    added.name = each.name;
    added.is_held = kueue::is_queued(object) ||
                    (!kind->suspend.empty() && is_true(field_at(object, kind->suspend)));
    added.shared = shared_fields(*kind, object);
  }
}

}  // namespace trainyard
