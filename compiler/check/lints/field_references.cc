// Labels and annotations of a pod that variables show, and that nobody gives it.

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "check/check.h"
#include "check/field_refs.h"
#include "check/launch.h"
#include "check/read.h"
#include "check/tables.h"
#include "diag/suggest.h"
#include "schema/words.h"

namespace trainyard {
namespace {

using Keys = std::span<const std::string_view>;

constexpr std::string_view kIndex = "batch.kubernetes.io/job-completion-index";

// kubernetes/kubernetes pkg/controller/job and pkg/registry/batch/job/strategy.go
constexpr auto kJobLabels = std::to_array<std::string_view>(
    {"batch.kubernetes.io/job-name", "batch.kubernetes.io/controller-uid"});
constexpr auto kJobAnnotations =
    std::to_array<std::string_view>({"batch.kubernetes.io/job-index-failure-count",
                                     "batch.kubernetes.io/job-index-ignored-failure-count"});
// kubernetes-sigs/jobset pkg/controllers/jobset_controller.go labelAndAnnotateObject
constexpr auto kJobSetKeys = std::to_array<std::string_view>(
    {"jobset.sigs.k8s.io/jobset-name", "jobset.sigs.k8s.io/jobset-uid",
     "jobset.sigs.k8s.io/replicatedjob-name", "jobset.sigs.k8s.io/replicatedjob-replicas",
     "jobset.sigs.k8s.io/global-replicas", "jobset.sigs.k8s.io/job-index",
     "jobset.sigs.k8s.io/job-global-index", "jobset.sigs.k8s.io/job-key",
     "jobset.sigs.k8s.io/restart-attempt", "jobset.sigs.k8s.io/job-restart-attempt",
     "jobset.sigs.k8s.io/group-name", "jobset.sigs.k8s.io/group-replicas",
     "jobset.sigs.k8s.io/job-group-index", "jobset.sigs.k8s.io/coordinator",
     "jobset.sigs.k8s.io/priority", "jobset.sigs.k8s.io/in-place-restart-attempt"});
// kubeflow/training-operator pkg/apis/kubeflow.org/v1/common_types.go
constexpr auto kTrainingLabels = std::to_array<std::string_view>(
    {"training.kubeflow.org/job-name", "training.kubeflow.org/operator-name",
     "training.kubeflow.org/replica-type", "training.kubeflow.org/replica-index",
     "training.kubeflow.org/job-role"});

/// A domain that belongs to one controller, which gives its pods all the keys in it there are.
struct Domain {
  std::string_view prefix;
  bool (*makes_pods)(const Workload& workload, const WorkloadRole& role);
  Keys labels;
  Keys annotations;
};

bool has_jobs(const Workload& workload, const WorkloadRole& role) {
  if (workload.kind == "MPIJob") return role.name == "Launcher";
  return workload.group == "batch" || workload.kind == "JobSet" || workload.kind == "TrainJob" ||
         workload.kind.ends_with("TrainingRuntime");
}
bool has_job_set(const Workload& workload, const WorkloadRole&) {
  return workload.kind == "JobSet" || workload.kind == "TrainJob" ||
         workload.kind.ends_with("TrainingRuntime");
}
bool has_training_operator(const Workload& workload, const WorkloadRole&) {
  return workload.group == "kubeflow.org";
}

constexpr Domain kDomains[] = {
    {"batch.kubernetes.io/", has_jobs, kJobLabels, kJobAnnotations},
    {"jobset.sigs.k8s.io/", has_job_set, kJobSetKeys, kJobSetKeys},
    {"training.kubeflow.org/", has_training_operator, kTrainingLabels, {}},
};

bool has(Keys keys, std::string_view key) {
  return std::ranges::find(keys, key) != keys.end();
}

/// A variable that the program takes for its rank, under the names that launchers read.
bool is_rank(std::string_view name) {
  constexpr auto names =
      std::to_array<std::string_view>({"RANK", "NODE_RANK", "PET_NODE_RANK", "MACHINE_RANK",
                                       "GROUP_RANK", "JAX_PROCESS_ID", "PROCESS_ID"});
  return has(names, name);
}

void missing_key(const Workload& workload, const WorkloadRole& role, View name, View path,
                 const FieldSubscript& parts, CheckContext& context) {
  const bool is_label = parts.path == "metadata.labels";
  if (get(get(role.pod.metadata, is_label ? "labels" : "annotations"), parts.key)) return;
  const auto domain = std::ranges::find_if(
      kDomains, [&](const Domain& each) { return parts.key.starts_with(each.prefix); });
  if (domain == std::end(kDomains)) return;
  std::vector<std::string_view> keys;
  if (domain->makes_pods(workload, role)) {
    const Keys all = is_label ? domain->labels : domain->annotations;
    keys.assign(all.begin(), all.end());
    if (domain->prefix == "batch.kubernetes.io/" && is_indexed(workload, role)) {
      keys.push_back(kIndex);
    }
  }
  if (has(keys, parts.key)) return;
  Diagnostic& found =
      context.lint(path,
                   pods_of(role) + " of a " + std::string(workload.kind) + " have no " +
                       (is_label ? "label " : "annotation ") + shown(parts.key) + ": " +
                       shown(string_of(name)) + " is empty",
                   is_rank(string_of(name)) ? Severity::Error : Severity::Warning);
  if (parts.key == kIndex) {
    found.note("only pods of an Indexed Job have it");
  } else if (const auto near = suggest(parts.key, keys)) {
    found.note("did you mean " + shown(*near) + "?");
  }
}

/// The pods of one Job of a JobSet have the index of their Job in common, and those of several Jobs
/// the index in theirs.
void shared_rank(const Workload& workload, const WorkloadRole& role, View container, View name,
                 View path, std::string_view key, CheckContext& context) {
  if (!has_job_set(workload, role) || !is_rank(string_of(name))) return;
  const std::int64_t jobs = integer_at(role.holder, "replicas").value_or(1);
  const std::int64_t each = jobs > 0 ? role.pods / jobs : 0;
  const bool of_job =
      key == "jobset.sigs.k8s.io/job-index" || key == "jobset.sigs.k8s.io/job-global-index";
  if (of_job && each > 1) {
    context.lint(
        path,
        "the " + std::to_string(each) + " pods of one Job all take the index of their Job for rank",
        Severity::Error);
  }
  const Stated nodes = stated_nodes(container);
  if (key != kIndex || jobs < 2 || !nodes || nodes.number <= each) return;
  context
      .lint(path,
            "pods of " + std::to_string(jobs) +
                " Jobs have the same indices: each rank is taken that many times",
            Severity::Error)
      .also(context.place(nodes.at), "they are to be one job");
}

void field_references(const Workload& workload, CheckContext& context) {
  for (const WorkloadRole& role : workload.roles) {
    if (!role.pod.spec) continue;
    for (const PodContainer& container : role.pod.containers) {
      for (View variable : items_at(container.node, "env")) {
        const View path = get(get(get(variable, "valueFrom"), "fieldRef"), "fieldPath");
        const auto parts = field_subscript(string_of(path));
        if (!parts) continue;
        const View name = get(variable, "name");
        missing_key(workload, role, name, path, *parts, context);
        shared_rank(workload, role, container.node, name, path, parts->key, context);
      }
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "field-reference",
     .on = "workload",
     .sentence = "Labels and annotations that variables show are such as the pods have.",
     .source = "kubernetes/kubernetes pkg/fieldpath/fieldpath.go: an absent key is an empty text; "
               "kubernetes-sigs/jobset pkg/controllers/jobset_controller.go; "
               "kubeflow/training-operator pkg/apis/kubeflow.org/v1/common_types.go",
     .workload = field_references,
     .severity = Severity::Warning,
     .because = "A key that the pod has not makes an empty variable, and a launcher that reads a "
                "rank from it does not start, or starts every pod as the same rank.",
     .fix = "name a label or annotation that the controller of this kind gives its pods",
     .rule = "rendezvous-variables"},
};

}  // namespace

const std::span<const Check> field_reference_lints = kChecks;

}  // namespace trainyard
