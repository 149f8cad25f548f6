#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "admission/field_refs.h"
#include "check/check.h"
#include "diag/suggest.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/launch.h"
#include "shell/command_line.h"
#include "tree/typed_fields.h"

// What containers read of their pod: its labels, its annotations, its amounts.

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
  Diagnostic& found = context.lint(path,
                                   pods_of(role) + " of a " + std::string(workload.kind) +
                                       (role.pods == 1 ? " has no " : " have no ") +
                                       (is_label ? "label " : "annotation ") + shown(parts.key) +
                                       ": " + shown(string_of(name)) + " is empty",
                                   is_rank(string_of(name)) ? Severity::Error : Severity::Warning);
  if (parts.key == kIndex) {
    found.note("only pods of an Indexed Job have it");
  } else if (const auto near = suggest(parts.key, keys)) {
    found.note("did you mean " + shown(*near) + "?");
  }
}

/// The note that says what the rank of a pod is among those of all Jobs.
std::string rank_of_all(std::int64_t each) {
  return "count the Jobs in front as well: `$((JOB_GLOBAL_INDEX * " + std::to_string(each) +
         " + JOB_COMPLETION_INDEX))`, with `JOB_GLOBAL_INDEX` by `fieldRef` from label "
         "`jobset.sigs.k8s.io/job-global-index`";
}

void same_indices(View at, std::int64_t jobs, std::int64_t each, View nodes,
                  CheckContext& context) {
  context
      .lint(at,
            "pods of " + std::to_string(jobs) +
                " Jobs have the same indices: each rank is taken that many times",
            Severity::Error)
      .also(context.place(nodes), "they are to be one job")
      .note(rank_of_all(each));
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
  const ExplicitNumber nodes = explicit_node_count(container);
  if (key != kIndex || jobs < 2 || !nodes || nodes.number <= each) return;
  same_indices(path, jobs, each, nodes.at, context);
}

/// Without blanks and what stands around a number in a shell: `A*4+B` of `$(( $A * 4 + ${B} ))`.
std::string bare_sum(std::string_view text) {
  std::string bare;
  for (const char c : text) {
    if (std::string_view(" ${}()").find(c) == std::string_view::npos) bare += c;
  }
  return bare;
}

/// The value of an option that a script may have put into a variable: `--node-rank=$NODE_RANK`.
std::string followed(View container, const std::string& text) {
  const std::string_view name = referred_variable(text);
  if (name.empty() || variable(container, name)) return text;
  const std::string assignment = std::string(name) + "=";
  std::string found;
  for (const ShellWord& word : command_words(container)) {
    if (!word.text.starts_with(assignment)) continue;
    if (!found.empty()) return text;  // which of them counts is not known
    found = word.text.substr(assignment.size());
  }
  return found.empty() ? text : found;
}

/// Whether a variable has the index of the pod's Job.
bool is_index_of_job(View variable) {
  const View path = get(get(get(variable, "valueFrom"), "fieldRef"), "fieldPath");
  const auto parts = field_subscript(string_of(path));
  return parts && (parts->key == "jobset.sigs.k8s.io/job-index" ||
                   parts->key == "jobset.sigs.k8s.io/job-global-index");
}

/// The number by which `JOBS*4+JOB_COMPLETION_INDEX` counts the pods of a Job; 0 for another sum.
std::int64_t pods_of_job_in(std::string_view sum, View container) {
  constexpr std::string_view kSummand = "JOB_COMPLETION_INDEX";
  const std::size_t plus = sum.find('+');
  if (plus == sum.npos) return 0;
  std::string_view product = sum.substr(0, plus);
  if (product == kSummand) {
    product = sum.substr(plus + 1);
  } else if (sum.substr(plus + 1) != kSummand) {
    return 0;
  }
  const std::size_t times = product.find('*');
  if (times == product.npos) return 0;
  std::string_view index = product.substr(0, times);
  std::string_view number = product.substr(times + 1);
  if (!plain_number(number)) std::swap(index, number);
  if (!is_index_of_job(variable(container, index))) return 0;
  return plain_number(number).value_or(0);
}

/// The index in its Job for the rank of a node, where the pods of several Jobs are one training.
void shared_node_rank(const Workload& workload, const WorkloadRole& role, View container,
                      CheckContext& context) {
  if (!has_job_set(workload, role)) return;
  const std::int64_t jobs = integer_at(role.holder, "replicas").value_or(1);
  const auto call = jobs < 2 ? nullptr : torchrun_call(container);
  if (!call || joins_by_order(container)) return;
  const OptionValue& rank = call->option("node-rank");
  const ExplicitNumber nodes = explicit_node_count(container);
  const std::int64_t each = role.pods / jobs;
  if (!rank || !nodes || nodes.number <= each) return;
  if (variable(container, "JOB_COMPLETION_INDEX") ||
      script_sets(container, "JOB_COMPLETION_INDEX")) {
    return;
  }
  const std::string sum = bare_sum(followed(container, rank.text));
  if (sum == "JOB_COMPLETION_INDEX") same_indices(rank.at, jobs, each, nodes.at, context);
  const std::int64_t taken = pods_of_job_in(sum, container);
  if (taken == 0 || taken >= each) return;
  context
      .lint(rank.at,
            "the index of a Job counts for " + std::to_string(taken) +
                " pods in the rank, and it has " + std::to_string(each) + ": ranks are taken twice",
            Severity::Error)
      .also(context.place(role.count), "how many pods")
      .note(rank_of_all(each));
}

void field_references(const Workload& workload, CheckContext& context) {
  for (const WorkloadRole& role : workload.roles) {
    if (!role.pod.spec) continue;
    for (const PodContainer& container : role.pod.containers) {
      shared_node_rank(workload, role, container.node, context);
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

/// kubernetes/kubernetes pkg/api/v1/resource/helpers.go findContainerInPod: amounts are those of a
/// container of the pod, also of an init container.
void amounts_of_containers(const Pod& pod, CheckContext& context) {
  if (pod.has(kAddsContainers)) return;
  for (const PodContainer& container : pod.containers) {
    for (View variable : items_at(container.node, "env")) {
      const View from = get(variable, "valueFrom");
      const View name = from ? get(get(from, "resourceFieldRef"), "containerName") : View();
      if (string_of(name).empty()) continue;
      const bool there = std::ranges::any_of(pod.containers, [&](const PodContainer& each) {
        return string_at(each.node, "name") == name->text;
      });
      if (there) continue;
      context.lint(name, "the pod has no container " + shown(name->text) +
                             "; the variable shows an amount of it");
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "amount-of-container",
     .group = CheckGroup::Core,
     .effect = Effect::NeverRuns,
     .sentence = "Variables show amounts of containers that the pod has.",
     .source = "kubernetes/kubernetes pkg/kubelet/kubelet_pods.go containerResourceRuntimeValue, "
               "pkg/api/v1/resource/helpers.go findContainerInPod",
     .pod = amounts_of_containers,
     .because = "The kubelet makes no container without the value: it stays in "
                "CreateContainerConfigError.",
     .fix = "name a container of the pod, or leave `containerName` out for the container itself"},
    {.name = "field-reference",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "Variables show labels and annotations that the pods have.",
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

constinit const std::span<const Check> field_reference_lints = kChecks;

}  // namespace trainyard
