// Whether all pods of a job start together.

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "check/check.h"
#include "diag/words.h"
#include "lints/gang/collective_start.h"
#include "lints/tables.h"
#include "manifest/devices.h"
#include "manifest/gang.h"
#include "manifest/launch.h"
#include "manifest/metadata.h"
#include "operators/train_job_runtime.h"
#include "spec/cluster.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Kinds whose pods meet. A Volcano Job is a gang by itself; for a TrainJob the runtime says
/// it, Ray and LeaderWorkerSet start their groups in an order of their own.
bool meets(const Workload& workload) {
  if (workload.group == "kubeflow.org" || workload.kind == "JobSet") return true;
  if (workload.group == "apps") return std::ranges::any_of(workload.roles, waits_for_all);
  return workload.is("batch", "Job") && string_at(workload.spec, "completionMode") == "Indexed";
}

/// The Job's spec that makes the pods of a role, whose pods have an index.
View indexed_spec(const Workload& workload, const WorkloadRole& role) {
  if (workload.kind == "JobSet") {
    const View spec = get(get(role.holder, "template"), "spec");
    return string_at(spec, "completionMode") == "NonIndexed" ? View() : spec;
  }
  const bool indexed =
      workload.is("batch", "Job") && string_at(workload.spec, "completionMode") == "Indexed";
  return indexed ? workload.spec : View();
}

void all_at_once(const Workload& workload, CheckContext& context) {
  for (const WorkloadRole& role : workload.roles) {
    const View spec = indexed_spec(workload, role);
    if (!spec) continue;
    const View all = get(spec, "completions");
    const auto completions = integer_of(all);
    const View together = get(spec, "parallelism");
    const std::int64_t parallelism = integer_of(together).value_or(1);
    if (!completions || parallelism == 0 || parallelism >= *completions) continue;
    if (!waits_for_all(role)) continue;
    context.lint(together ? together : all,
                 counted_pods(parallelism) + " at once" +
                     (together ? "" : ", as `parallelism` is 1 by default,") + " of the " +
                     std::to_string(*completions) + " that wait for each other");
  }
}

/// A StatefulSet makes the next pod when the one before is ready, if not told otherwise.
void pods_in_order(const Workload& workload, CheckContext& context) {
  if (workload.kind != "StatefulSet") return;
  const View policy = get(workload.spec, "podManagementPolicy");
  if (string_of(policy) == "Parallel") return;
  for (const WorkloadRole& role : workload.roles) {
    if (role.pods < 2 || !waits_for_all(role)) continue;
    for (View container : role.containers) {
      const View readiness = get(container, "readinessProbe");
      const View probe = readiness ? readiness : get(container, "startupProbe");
      if (!probe) continue;
      auto report = context.lint(policy ? policy : probe,
                                 "the second of " + counted_pods(role.pods) +
                                     " is made when the first is ready, and the first waits for "
                                     "all");
      if (policy) report.also(context.place(probe), "when a pod is ready");
    }
  }
}

/// What we make follows the Cluster: without one nothing is known of queues. `validate` has the
/// same opinion of it as `build`.
bool follows_no_queues(const CheckContext& context, View object) {
  const View labels = get(get(object, "metadata"), "labels");
  const bool is_ours =
      context.is_ours() || string_at(labels, "app.kubernetes.io/managed-by") == "trainyard";
  return is_ours && (context.cluster() == nullptr || context.cluster()->spec->queues->empty());
}

/// Kueue puts jobs without a queue into the LocalQueue `default` of their namespace:
/// kubernetes-sigs/kueue pkg/controller/jobframework/defaults.go. While it is not known what is
/// there, nothing is to be said.
bool has_default_queue(View object, CheckContext& context) {
  const Inventory* inventory = context.inventory();
  return inventory == nullptr ||
         inventory->has("kueue.x-k8s.io", "LocalQueue", metadata_namespace(object), "default");
}

/// Pods of one role beside a gang of the others, which wait for it.
bool waits_outside(const Workload& workload, const WorkloadRole& role) {
  const bool beside = std::ranges::any_of(workload.roles, [&](const WorkloadRole& other) {
    return &other != &role && other.step == role.step && other.devices.all() > 0;
  });
  return beside && (is_training_kind(workload) || waits_for_all(role));
}

/// By what a scheduler knows that the pods of a Job are a group.
struct GroupSign {
  std::string_view scheduler;
  std::string_view sign;
};
constexpr auto kGroupSigns = std::to_array<GroupSign>({
    {"volcano", "annotation `scheduling.volcano.sh/group-min-member` on the Job"},
    {"kai-scheduler", "annotation `kai.scheduler/batch-min-member` on the Job"},
    {"scheduler-plugins-scheduler", "label `scheduling.x-k8s.io/pod-group` on them"},
});

void no_gang(const Workload& workload, CheckContext& context) {
  if (follows_no_queues(context, workload.object)) return;
  if (!meets(workload) || workload.gpu_pods < 2) return;
  if (!is_distributed(workload)) return;
  const PodsOutsideGang gap = gang_gap(workload);
  if (!gap.any || is_elastic(workload) || has_default_queue(workload.object, context)) return;
  if (gap.role != nullptr) {
    if (!waits_outside(workload, *gap.role)) return;
    context.lint(gap.role->count ? gap.role->count : gap.role->holder,
                 pods_of(*gap.role) +
                     " with GPUs that need the others, and are in no gang with "
                     "them",
                 Severity::Warning);
    return;
  }
  View at = get(workload.object, "spec");
  std::string_view scheduler;
  for (const WorkloadRole& role : workload.roles) {
    if (!role.is_launcher && role.pods > 1 && role.devices.all() > 0) {
      at = role.count ? role.count : role.holder;
      scheduler = string_at(role.pod.spec, "schedulerName");
      break;
    }
  }
  auto& report =
      context.lint(at, counted_pods(workload.gpu_pods) +
                           " with GPUs that need each other, and nothing that starts them "
                           "together");
  const auto* alone = std::ranges::find(kGroupSigns, scheduler, &GroupSign::scheduler);
  if (alone == kGroupSigns.end()) return;
  report.note("scheduler " + shown(scheduler) + " takes them one by one without the " +
              std::string(alone->sign));
}

/// Whether each node of a TrainJob has GPUs, as far as it is certain.
bool nodes_have_gpus(const TrainJob& job) {
  const View own = get(job.trainer, "resourcesPerNode");
  if (own) return devices_of(own).all() > 0;
  const View pod = pod_spec_of(step(job.template_spec, "trainer"));
  return devices_of(get(container_of(pod, "node"), "resources")).all() > 0;
}

/// Whether the processes of the nodes meet, and none may be left out.
bool nodes_meet(const TrainJob& job) {
  const View torch = get(get(get(job.runtime, "spec"), "mlPolicy"), "torch");
  return ml_policy(job).value_or(MlPolicy::None) != MlPolicy::None && !get(torch, "elasticPolicy");
}

/// By the TrainJob or by its runtime. A queue on the runtime is that of no job, but may be meant
/// for what is made with it.
bool train_job_has_gang(const TrainJob& job) {
  const View spec = get(job.object, "spec");
  if (has_gang_label(get(job.object, "metadata")) || is_true(get(spec, "suspend"))) return true;
  if (!string_at(spec, "managedBy").empty()) return true;
  for (std::string_view field : {"runtimePatches", "podTemplateOverrides", "podSpecOverrides"}) {
    if (may_have_gang_label(get(spec, field))) return true;
  }
  if (has_gang_label(spec)) return true;  // its labels, up to Trainer 2.1
  if (has_gang_label(get(get(get(job.runtime, "spec"), "template"), "metadata"))) return true;
  return has_gang(
      read_workload(job.runtime, "trainer.kubeflow.org", string_at(job.runtime, "kind")));
}

void no_gang_of_train_job(View object, CheckContext& context) {
  if (follows_no_queues(context, object)) return;
  const TrainJob job = train_job(object, context);
  if (!job) return;
  const View own = get(job.trainer, "numNodes");
  const View nodes = own ? own : get(get(get(job.runtime, "spec"), "mlPolicy"), "numNodes");
  const std::int64_t count = integer_of(nodes).value_or(1);
  if (count < 2 || !nodes_have_gpus(job) || !nodes_meet(job) || train_job_has_gang(job)) return;
  if (has_default_queue(object, context)) return;
  const View reference = get(get(get(object, "spec"), "runtimeRef"), "name");
  auto& report = context.lint(own ? own : reference,
                              counted_pods(count) +
                                  " with GPUs that need each other, and nothing that starts them "
                                  "together");
  if (const View name = metadata_name(job.runtime)) {
    report.also(context.place(name), "its runtime has no `podGroupPolicy`");
  }
}

constexpr Check kChecks[] = {
    {.name = "all-at-once",
     .group = CheckGroup::Gang,
     .effect = Effect::NeverRuns,
     .sentence = "Pods of a Job that meet each other run at the same time.",
     .source = "kubernetes/kubernetes pkg/controller/job/job_controller.go: parallelism pods of "
               "the completions at a time",
     .workload = all_at_once,
     .severity = Severity::Warning,
     .because = "The next pods start when the first have ended, and these wait for the next.",
     .fix = "set `parallelism` to the number of `completions`"},
    {.name = "pods-in-order",
     .group = CheckGroup::Gang,
     .effect = Effect::NeverRuns,
     .sentence = "Pods of a StatefulSet that meet each other are made at the same time.",
     .source = "kubernetes/kubernetes pkg/controller/statefulset/stateful_set_control.go: "
               "OrderedReady, the default, waits for each pod to be ready",
     .workload = pods_in_order,
     .severity = Severity::Warning,
     .because = "A pod whose probe passes only once the training runs is never ready, and the "
                "others are never made.",
     .fix = "set `podManagementPolicy: Parallel`"},
    {.name = "no-gang",
     .group = CheckGroup::Gang,
     .effect = Effect::Risky,
     .on = "trainer.kubeflow.org TrainJob",
     .sentence = "Pods with GPUs that need each other are scheduled all at once.",
     .source = "kubernetes-sigs/kueue issue 2796; kubeflow/trainer issue 165, "
               "pkg/runtime/framework/plugins/coscheduling/coscheduling.go and "
               "volcano/volcano.go: a PodGroup only with `podGroupPolicy` of the runtime",
     .object = no_gang_of_train_job,
     .workload = no_gang,
     .severity = Severity::Note,
     .because = "The scheduler places one pod after the other: two jobs can each hold half of the "
                "nodes and wait for the other half.",
     .fix = "name a queue (label `kueue.x-k8s.io/queue-name`), a gang scheduler or a PodGroup; "
            "where the operator makes PodGroups for every job, turn this check off"},
};

}  // namespace

const std::span<const Check> start_together_lints = kChecks;

}  // namespace trainyard
