#include "manifest/gang.h"

#include <algorithm>
#include <array>
#include <span>

#include "manifest/go_text.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Labels and annotations that put pods into a group, or a job into a queue that admits it whole.
constexpr auto kGroupKeys = std::to_array<std::string_view>({
    "kueue.x-k8s.io/queue-name",
    "kueue.x-k8s.io/pod-group-name",
    "scheduling.x-k8s.io/pod-group",
    "pod-group.scheduling.sigs.k8s.io",
    "scheduling.k8s.io/group-name",
    "scheduling.volcano.sh/group-name",
    "pod-group-name",  // KAI
    "ray.io/gang-scheduling-enabled",
    "yunikorn.apache.org/task-group-name",
    "yunikorn.apache.org/task-groups",
});

/// Those that name a queue of a scheduler. That pods go to the scheduler is another lint's word;
/// whether it takes them as a group depends on their kind.
constexpr auto kQueueKeys = std::to_array<std::string_view>({
    "scheduling.volcano.sh/queue-name",
    "kai.scheduler/queue",
    "runai/queue",
});

bool has_key(View metadata, std::span<const std::string_view> keys) {
  for (std::string_view field : {"labels", "annotations"}) {
    for (View entry : entries_at(metadata, field)) {
      if (std::ranges::find(keys, entry.key()) != keys.end()) return true;
    }
  }
  return false;
}

/// The label of a project makes Run:ai take the job into a queue in the namespaces of its projects,
/// and is any word elsewhere.
bool is_of_run_ai(View metadata) {
  return string_at(metadata, "namespace").starts_with("runai-") &&
         get(get(metadata, "labels"), "project");
}

/// With one Job in a domain of its own no other job of this sort can take half of the domain.
/// kubernetes-sigs/jobset pkg/webhooks/pod_webhook.go, pkg/controllers/jobset_controller.go
bool has_domain_alone(const Workload& workload) {
  constexpr std::string_view key = "alpha.jobset.sigs.k8s.io/exclusive-topology";
  if (workload.kind != "JobSet") return false;
  std::int64_t jobs = 0;
  const View own = get(get(get(workload.object, "metadata"), "annotations"), key);
  bool each = true;
  for (const WorkloadRole& role : workload.roles) {
    if (role.devices.all() == 0) continue;
    jobs += count_of(get(role.holder, "replicas"));
    const View metadata = get(get(role.holder, "template"), "metadata");
    each = each && get(get(metadata, "annotations"), key);
  }
  return (own || each) && jobs == 1;
}

/// By what the object says of all its pods.
bool is_gang_as_a_whole(const Workload& workload) {
  const View metadata = get(workload.object, "metadata");
  const View spec = workload.spec;
  const View run = get(spec, "runPolicy");
  if (has_gang_label(metadata) || is_of_run_ai(metadata) || has_domain_alone(workload)) return true;
  if (get(run, "schedulingPolicy") || get(spec, "podGroupPolicy")) return true;
  if (is_true(get(spec, "suspend")) || is_true(get(run, "suspend"))) return true;
  return !string_at(spec, "managedBy").empty();
}

/// Kinds without an operator that writes labels, annotations or a scheduler into the pods.
bool is_plain(const Workload& workload) {
  return workload.group == "batch" || workload.group == "apps" || workload.kind == "JobSet" ||
         workload.kind.ends_with("TrainingRuntime");
}

/// What stands on the Job that makes the pods of a role.
View job_metadata(const Workload& workload, const WorkloadRole& role) {
  const bool has_jobs = workload.kind == "JobSet" || workload.kind.ends_with("TrainingRuntime");
  return has_jobs ? get(get(role.holder, "template"), "metadata")
                  : get(workload.object, "metadata");
}

/// Whether a scheduler that can take pods as a group takes these one by one, for nothing says that
/// they are one. Volcano: pkg/controllers/podgroup/pg_controller_handler.go buildPodGroupFromPod,
/// by the controller of the pods; scheduler-plugins: pkg/coscheduling/core/core.go, by the label of
/// the pods; KAI: pkg/podgrouper/podgrouper/plugins/job/job_grouper.go.
bool takes_one_by_one(std::string_view scheduler, const Workload& workload,
                      const WorkloadRole& role) {
  if (!is_plain(workload)) return false;
  if (scheduler == "scheduler-plugins-scheduler") return true;
  const bool is_job = workload.is("batch", "Job");
  if (scheduler != "volcano" && !(scheduler == "kai-scheduler" && is_job)) return false;
  return !gang_minimum(workload, role).number;
}

/// A scheduler that a replica names is left as it is, with a warning: kubeflow/training-operator
/// pkg/controller.v1/common/pod.go.
bool stays_with_default(const Workload& workload, const WorkloadRole& role) {
  return workload.group == "kubeflow.org" && workload.kind != "MPIJob" &&
         string_at(role.pod.spec, "schedulerName") == "default-scheduler";
}

/// By what its pods say, or by the scheduler that they go to.
bool in_gang(const Workload& workload, const WorkloadRole& role) {
  const View spec = role.pod.spec;
  if (get(spec, "schedulingGates") || get(spec, "workloadRef") || get(spec, "schedulingGroup")) {
    return true;
  }
  if (has_gang_label(role.pod.metadata)) return true;
  const std::string_view scheduler = string_at(spec, "schedulerName");
  if (scheduler.empty() || scheduler == "default-scheduler") {
    return has_key(get(workload.object, "metadata"), kQueueKeys) ||
           has_key(role.pod.metadata, kQueueKeys);
  }
  return !takes_one_by_one(scheduler, workload, role);
}

}  // namespace

bool has_gang_label(View metadata) {
  return has_key(metadata, kGroupKeys);
}

bool may_have_gang_label(View value) {
  constexpr auto fields = std::to_array<std::string_view>(
      {"schedulerName", "schedulingGates", "workloadRef", "schedulingGroup"});
  if (!value || !(value->is_map() || value->is_seq())) return false;
  if (value->is_map() && (has_key(value, kGroupKeys) || has_key(value, kQueueKeys))) return true;
  for (View each : Items(value)) {
    const bool named = value->is_map() && std::ranges::find(fields, each.key()) != fields.end();
    if (named || may_have_gang_label(each)) return true;
  }
  return false;
}

bool has_gang(const Workload& workload) {
  return is_gang_as_a_whole(workload) ||
         std::ranges::any_of(workload.roles,
                             [&](const WorkloadRole& role) { return in_gang(workload, role); });
}

PodsOutsideGang gang_gap(const Workload& workload) {
  if (is_gang_as_a_whole(workload)) return {};
  const WorkloadRole* out = nullptr;
  bool any_in = false;
  for (const WorkloadRole& role : workload.roles) {
    // Where an operator may add what is missing, it knows the gang by any of its roles.
    const bool counts = role.devices.all() > 0 && role.pods > 0;
    if (!counts && is_plain(workload)) continue;
    if (in_gang(workload, role)) {
      any_in = true;
    } else if (counts && (out == nullptr || role.pods > out->pods)) {
      if (is_plain(workload) || stays_with_default(workload, role)) out = &role;
    }
  }
  if (!any_in) return {.any = true};
  return {.any = out != nullptr, .role = out};
}

GangMinimum gang_minimum(const Workload& workload, const WorkloadRole& role) {
  const std::string_view scheduler = string_at(role.pod.spec, "schedulerName");
  const std::string_view key = scheduler == "volcano" ? "scheduling.volcano.sh/group-min-member"
                               : scheduler == "kai-scheduler" ? "kai.scheduler/batch-min-member"
                                                              : "";
  if (key.empty() || !is_plain(workload) || has_gang_label(role.pod.metadata)) return {};
  const View at = get(get(job_metadata(workload, role), "annotations"), key);
  if (!at || at.kind() != Kind::String) return {};
  const auto number = go_integer(at->text);
  return {at, number.value_or(0) > 0 ? number : std::nullopt};
}

}  // namespace trainyard
