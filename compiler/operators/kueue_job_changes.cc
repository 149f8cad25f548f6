#include <algorithm>
#include <string>
#include <vector>

#include "check/check.h"
#include "diag/words.h"
#include "manifest/go_text.h"
#include "manifest/metadata.h"
#include "operators/kueue_queued_jobs.h"
#include "operators/tables.h"
#include "tree/typed_fields.h"

// What Kueue's webhooks let change of a job, once it is admitted.

namespace trainyard {
namespace {

using namespace kueue;

/// Kinds that say themselves whether they run.
constexpr std::string_view kChanging =
    "core Pod; batch Job; jobset.x-k8s.io JobSet; trainer.kubeflow.org TrainJob; kubeflow.org "
    "PyTorchJob "
    "TFJob XGBoostJob PaddleJob JAXJob MPIJob; ray.io RayCluster RayJob RayService";

/// A pod that Kueue holds back, or that has ended.
bool is_held_back(View pod, View before) {
  const View own = get(get(pod, "spec"), "schedulingGates");
  const View gates = own ? own : get(get(before, "spec"), "schedulingGates");
  for (View gate : gates && gates->is_seq() ? Items(gates) : Items()) {
    if (string_at(gate, "name") == "kueue.x-k8s.io/admission") return true;
  }
  const std::string_view phase = string_at(get(before, "status"), "phase");
  return phase == "Succeeded" || phase == "Failed";
}

/// Where kinds say that they do not run. What the new object leaves out stays as it was.
bool is_suspended(View object, View before) {
  if (string_at(object, "kind") == "Pod") return is_held_back(object, before);
  const auto own = [](View from) {
    const View spec = get(from, "spec");
    for (std::string_view holder : {"runPolicy", "rayClusterConfig"}) {
      if (const View suspend = get(get(spec, holder), "suspend")) return suspend;
    }
    return get(spec, "suspend");
  };
  const View stated = own(object);
  return is_true(stated ? stated : own(before));
}

void stays(View object, View now, View before, std::string_view key, CheckContext& context) {
  if (!differs(now, before)) return;
  const std::string was =
      string_of(before).empty() ? "was not set" : "was " + shown(string_of(before));
  context.refuse(now ? now : get(object, "metadata"),
                 shown(key) + " " + was + ", and does not change while the job is not suspended");
}

/// The names in a list with commas.
std::vector<std::string_view> gate_names(View value) {
  std::vector<std::string_view> names;
  std::string_view rest = string_of(value);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    std::string_view name = rest.substr(0, end);
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    if (!name.empty()) names.push_back(name);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return names;
}

void added_gates(View object, View before, CheckContext& context) {
  constexpr std::string_view key = "kueue.x-k8s.io/admission-gated-by";
  const View now = annotation(object, key);
  const std::vector<std::string_view> old = gate_names(annotation(before, key));
  for (std::string_view gate : gate_names(now)) {
    if (std::ranges::find(old, gate) != old.end()) continue;
    context.refuse(now,
                   "gate " + shown(gate) + " is new: gates of an existing job can only be removed");
    return;
  }
}

void gate_changes(View object, CheckContext& context) {
  if (const View before = context.old()) added_gates(object, before, context);
}

void job_changes(View object, View before, bool runs, bool ran, CheckContext& context) {
  if (string_at(object, "kind") != "Job" || !ran) return;
  constexpr std::string_view equal = "kueue.x-k8s.io/job-completions-equal-parallelism";
  const View now = get(get(object, "spec"), "parallelism");
  const auto was = integer_at(get(before, "spec"), "parallelism").value_or(1);
  if (annotation(before, kLeast) && integer_of(now).value_or(1) != was) {
    context.refuse(now ? now : get(object, "spec"),
                   "`parallelism` was " + std::to_string(was) +
                       ", and stays while a Job runs that may be admitted in part");
  }
  const auto follows = [&](View each) {
    return go_bool(string_of(annotation(each, equal))).value_or(false);
  };
  if (runs && follows(object) != follows(before)) {
    stays(object, annotation(object, equal), annotation(before, equal), equal, context);
  }
}

void pod_changes(View object, View before, CheckContext& context) {
  if (string_at(object, "kind") != "Pod") return;
  constexpr std::string_view retriable = "kueue.x-k8s.io/retriable-in-group";
  const std::string_view group = group_of_pod(object);
  const std::string_view old_group = group_of_pod(before);
  const View metadata = get(object, "metadata");
  if (!old_group.empty() && group != old_group) {
    context.refuse(metadata, "the pod is of group " + shown(old_group) + ", and stays in it");
  }
  const View now = annotation(object, retriable);
  if (!group.empty() && string_of(annotation(before, retriable)) == "false" &&
      string_of(now) != "false") {
    context.refuse(
        now ? now : metadata,
        shown(retriable) + " was `false`, and stays for as long as the pod is in a group");
  }
}

/// pkg/controller/jobs/rayservice/rayservice_webhook.go ValidateUpdate was read in 0.19.
bool checks_changes(View object, const CheckContext& context) {
  return string_at(object, "kind") != "RayService" ||
         context.versions().within({.name = "kueue", .since = "0.19"});
}

void changes(View object, CheckContext& context) {
  const View before = context.old();
  if (is_passed_over(object) || !checks_changes(object, context)) return;
  const bool queued = is_queued(object) || (before && is_queued(before));
  if (string_at(object, "apiVersion").starts_with("ray.io/") && !queued) return;
  if (!before) return;
  if (is_elastic(object) != is_elastic(before) && reads_elastic(context)) {
    const View now = annotation(object, kElastic);
    context.refuse(now ? now : get(object, "metadata"),
                   shown(kElastic) + " does not change once the job is there");
    return;
  }
  constexpr std::string_view priority = "kueue.x-k8s.io/priority-class";
  constexpr std::string_view longest = "kueue.x-k8s.io/max-exec-time-seconds";
  const bool runs = !is_suspended(object, before);
  const bool ran = !is_suspended(before, before);
  if (runs) {
    stays(object, label(object, kQueueName), label(before, kQueueName), kQueueName, context);
    if (!is_elastic(before)) {
      stays(object, prebuilt_of(object), prebuilt_of(before), kPrebuilt, context);
    }
  }
  if (runs || ran) stays(object, label(object, longest), label(before, longest), longest, context);
  const View now = label(object, priority);
  const bool had = !string_of(label(before, priority)).empty();
  const bool has = !string_of(now).empty();
  if (had && !has) {
    context.refuse(now ? now : get(object, "metadata"),
                   shown(priority) + " was " + shown(string_of(label(before, priority))) +
                       ", and cannot be taken away; expected it or another class");
  } else if (!had && has && runs) {
    context.refuse(now, shown(priority) + " cannot be added while the job is not suspended");
  }
  added_gates(object, before, context);
  job_changes(object, before, runs, ran, context);
  pod_changes(object, before, context);
}

constexpr Check kChecks[] = {
    {.name = "kueue-changes",
     .group = CheckGroup::Queue,
     .on = kChanging,
     .sentence = "What Kueue has admitted keeps its queue, its limit and its priority class.",
     .source = "kubernetes-sigs/kueue pkg/controller/jobframework/validation.go "
               "ValidateJobOnUpdate; pkg/controller/jobs/job/job_webhook.go, "
               "pkg/controller/jobs/rayservice/rayservice_webhook.go, "
               "pkg/controller/jobs/pod/pod_webhook.go ValidateUpdate",
     .object = changes,
     .operators = kKueue},
    {.name = "kueue-gates-only-go",
     .group = CheckGroup::Queue,
     .on = "apps Deployment StatefulSet; leaderworkerset.x-k8s.io LeaderWorkerSet; kueue.x-k8s.io "
           "Workload",
     .sentence = "No gate is added that holds back what Kueue has seen already.",
     .source = "kubernetes-sigs/kueue pkg/util/webhook/validation_admissiongatedby.go",
     .object = gate_changes,
     .operators = {.name = "kueue", .since = "0.19"}},
};

}  // namespace

constinit const std::span<const Check> kueue_job_change_checks = kChecks;

}  // namespace trainyard
