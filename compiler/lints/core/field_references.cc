// What variables of a container show of its pod and of other variables, and that is not there.

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "admission/field_refs.h"
#include "check/check.h"
#include "check/typos.h"
#include "diag/suggest.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/launch.h"
#include "shell/command_line.h"
#include "tree/typed_fields.h"

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
  const Stated nodes = stated_nodes(container);
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
  const Stated nodes = stated_nodes(container);
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
/// container of the pod, be it an init container.
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
                             ", of which the variable shows an amount");
    }
  }
}

/// The names in `$(NAME)` of a text; `$$` is a dollar sign.
/// kubernetes/kubernetes third_party/forked/golang/expansion/expand.go
std::vector<std::string_view> expanded_names(std::string_view text) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] != '$') continue;
    if (text[i + 1] != '(') {
      if (text[i + 1] == '$') ++i;
      continue;
    }
    const std::size_t end = text.find(')', i);
    if (end == text.npos) break;
    names.push_back(text.substr(i + 2, end - i - 2));
    i = end;
  }
  return names;
}

/// Who puts variables behind all that the template of a pod has.
class Appending {
 public:
  Appending(const Pod& pod, CheckContext& context) : pod_(pod), object_(context.object()) {}

  /// "" for nobody.
  std::string by(View container, std::string_view name) {
    if (!workload_) read();
    if (role_ == nullptr) return {};
    if (name == "JOB_COMPLETION_INDEX" && is_indexed(*workload_, *role_)) {
      return "the Job controller adds it behind all others";
    }
    const bool in_front = workload_->kind == "LeaderWorkerSet";
    const bool merged = workload_->group == "trainer.kubeflow.org";
    if (in_front || merged || !is_injected(*workload_, *role_, container, name)) return {};
    return "the controller of a " + std::string(workload_->kind) + " adds it behind all others";
  }

  /// Whether the controller gives the container a variable, wherever it puts it.
  bool gives(View container, std::string_view name) {
    if (!workload_) read();
    if (role_ == nullptr) return false;
    return (name == "JOB_COMPLETION_INDEX" && is_indexed(*workload_, *role_)) ||
           is_injected(*workload_, *role_, container, name);
  }

 private:
  void read() {
    workload_ = read_workload(object_, group_of(string_at(object_, "apiVersion")),
                              string_at(object_, "kind"));
    for (const WorkloadRole& role : workload_->roles) {
      if (role.pod.spec.is_at(pod_.spec)) role_ = &role;
    }
  }

  const Pod& pod_;
  View object_;
  std::optional<Workload> workload_;  // once somebody asks
  const WorkloadRole* role_ = nullptr;
};

/// The variables of a container by their names; of those with the same one, the last, which counts.
class VariablesByName {
 public:
  explicit VariablesByName(View container) {
    for (View each : items_at(container, "env")) by_name_[string_at(each, "name")] = each;
  }
  View find(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? View() : found->second;
  }

 private:
  std::unordered_map<std::string_view, View> by_name_;
};

bool refers_to_variables(View container) {
  return std::ranges::any_of(items_at(container, "env"), [](View each) {
    return string_at(each, "value").find("$(") != std::string_view::npos;
  });
}

bool mentions_variables(View container) {
  const auto mentions = [](View text) {
    return string_of(text).find("$(") != std::string_view::npos;
  };
  return refers_to_variables(container) ||
         std::ranges::any_of(items_at(container, "command"), mentions) ||
         std::ranges::any_of(items_at(container, "args"), mentions);
}

/// `by` refers to variable `name`, which comes `later` or is `added` by somebody.
void expanded_too_soon(View by, std::string_view name, View later, const std::string& added,
                       CheckContext& context) {
  const std::string_view own = string_at(by, "name");
  const bool is_own = later && name == own;
  // No order would be right.
  const bool is_circle = later && has(expanded_names(string_at(later, "value")), own);
  const std::string why = is_own  ? "it has no value before this one, not that of the image"
                          : later ? shown(name) + " comes after it"
                                  : added;
  Diagnostic& found = context.lint(get(by, "value"),
                                   "variable " + shown(own) + " keeps the text " +
                                       shown("$(" + std::string(name) + ")") + ": " + why,
                                   is_own || is_circle ? Severity::Warning : Severity::Error);
  if (later && !is_own) found.also(context.place(get(later, "name")), "comes too late");
}

/// The kubelet goes through the list from the beginning, and knows what it has passed.
void variable_order(const Pod& pod, CheckContext& context) {
  Appending appending(pod, context);
  for (const PodContainer& container : pod.containers) {
    if (!refers_to_variables(container.node)) continue;
    const VariablesByName variables(container.node);
    std::unordered_set<std::string_view> passed;
    for (View each : items_at(container.node, "env")) {
      for (std::string_view name : expanded_names(string_at(each, "value"))) {
        if (passed.contains(name)) continue;
        const View later = variables.find(name);
        if (later && has_items(get(container.node, "envFrom"))) continue;  // which comes first
        const std::string added = later ? std::string() : appending.by(container.node, name);
        if (!later && added.empty()) continue;
        expanded_too_soon(each, name, later, added, context);
        break;
      }
      passed.insert(string_at(each, "name"));
    }
  }
}

/// Whether the kubelet may know a variable that the template does not have: from a Service, from
/// `envFrom`, or from a controller.
bool may_be_known(View container, std::string_view name, Appending& appending,
                  CheckContext& context) {
  if (has_items(get(container, "envFrom")) || variable(container, name)) return true;
  if (name.find("_SERVICE_") != name.npos || name.find("_PORT") != name.npos) return true;
  if (string_at(context.object(), "apiVersion").starts_with("ray.io/")) return true;
  return !appending.by(container, name).empty() ||
         string_at(context.object(), "kind") == "LeaderWorkerSet" ||
         string_at(context.object(), "kind").starts_with("Train");
}

/// A name as people give variables, and hardly ever programs, which a shell starts so as well.
bool is_in_capitals(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789";
  return !name.empty() && kDigits.find(name.front()) == name.npos &&
         name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == name.npos;
}

/// The only variable of the container whose name is a slip away. Not among very many: each mention
/// is compared with each variable.
View near_variable(View container, std::string_view name) {
  constexpr std::uint32_t kMost = 1000;
  const View variables = get(container, "env");
  if (!variables || variables->size > kMost) return {};
  View found;
  for (View each : items_at(container, "env")) {
    const std::string_view own = string_at(each, "name");
    if ((found && own == string_at(found, "name")) || !is_slip_of_name(name, own)) continue;
    if (found) return {};
    found = each;
  }
  return found;
}

/// The variable that the controller gives the container whose name is a slip away; "" for none.
std::string_view near_given(View container, std::string_view name, Appending& appending) {
  constexpr auto all = std::to_array<std::string_view>(
      {"WORLD_SIZE", "RANK", "MASTER_ADDR", "MASTER_PORT", "JOB_COMPLETION_INDEX", "VC_TASK_INDEX",
       "VK_TASK_INDEX", "LWS_LEADER_ADDRESS", "LWS_GROUP_SIZE", "LWS_WORKER_INDEX", "PET_NNODES",
       "PET_NPROC_PER_NODE", "PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT",
       "PET_RDZV_ENDPOINT", "PET_RDZV_BACKEND"});
  const auto is_near = [&](std::string_view given) {
    return is_slip_of_name(name, given) && appending.gives(container, given);
  };
  const auto found = std::ranges::find_if(all, is_near);
  return found == all.end() ? std::string_view() : *found;
}

/// A slip in the name of a variable that no template has, as the controller gives it.
bool misspelt_given(View at, View container, std::string_view name, Appending& appending,
                    CheckContext& context) {
  if (has_items(get(container, "envFrom")) || variable(container, name)) return false;
  const std::string_view near = near_given(container, name, appending);
  if (near.empty() || appending.gives(container, name)) return false;
  context.lint(at, shown("$(" + std::string(name) + ")") + " stays as it is written: a " +
                       std::string(string_at(context.object(), "kind")) + " gives container " +
                       shown(string_at(container, "name")) + " no such variable, but " +
                       shown(near));
  return true;
}

void variable_names_in(View at, View container, const VariablesByName& variables,
                       Appending& appending, CheckContext& context) {
  const std::string_view text = string_of(at);
  if (text.find("$(") == text.npos) return;
  for (std::string_view name : expanded_names(text)) {
    if (!is_in_capitals(name) || variables.find(name)) continue;
    const View near = near_variable(container, name);
    if (!near && misspelt_given(at, container, name, appending, context)) return;
    if (!near || may_be_known(container, name, appending, context)) continue;
    context
        .lint(at, shown("$(" + std::string(name) + ")") + " stays as it is written: container " +
                      shown(string_at(container, "name")) + " has no such variable, but " +
                      shown(string_at(near, "name")))
        .also(context.place(get(near, "name")), "the one that is near");
    return;
  }
}

void variable_names(const Pod& pod, CheckContext& context) {
  Appending appending(pod, context);
  for (const PodContainer& container : pod.containers) {
    if (!mentions_variables(container.node)) continue;
    const VariablesByName variables(container.node);
    for (std::string_view field : {"command", "args"}) {
      for (View argument : items_at(container.node, field)) {
        variable_names_in(argument, container.node, variables, appending, context);
      }
    }
    for (View each : items_at(container.node, "env")) {
      variable_names_in(get(each, "value"), container.node, variables, appending, context);
    }
  }
}

/// kubernetes/kubernetes pkg/kubelet/container/helpers.go ExpandContainerVolumeMounts
void sub_path_variables(const Pod& pod, CheckContext& context) {
  Appending appending(pod, context);
  for (const PodContainer& container : pod.containers) {
    for (View mount : items_at(container.node, "volumeMounts")) {
      const View path = get(mount, "subPathExpr");
      for (std::string_view name : expanded_names(string_of(path))) {
        if (may_be_known(container.node, name, appending, context)) continue;
        context.lint(path, "container " + shown(string_at(container.node, "name")) +
                               " has no variable " + shown(name) + " to make the path of");
        break;
      }
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "amount-of-container",
     .on = "pod",
     .sentence = "Variables show amounts of containers that the pod has.",
     .source = "kubernetes/kubernetes pkg/kubelet/kubelet_pods.go containerResourceRuntimeValue, "
               "pkg/api/v1/resource/helpers.go findContainerInPod",
     .pod = amounts_of_containers,
     .because = "The kubelet makes no container without the value: it stays in "
                "CreateContainerConfigError.",
     .fix = "name a container of the pod, or leave `containerName` out for the container itself"},
    {.name = "sub-path-variable",
     .on = "pod",
     .sentence = "Variables in `subPathExpr` are those of the container.",
     .source = "kubernetes/kubernetes pkg/kubelet/container/helpers.go ExpandContainerVolumeMounts",
     .pod = sub_path_variables,
     .because = "The kubelet makes no container without the value: it stays in "
                "CreateContainerConfigError.",
     .fix = "define the variable in `env` of the same container"},
    {.name = "variable-name",
     .on = "pod",
     .sentence = "Variables in arguments and in values of others, as `$(NAME)`, are spelt as they "
                 "are defined.",
     .source = "kubernetes/kubernetes third_party/forked/golang/expansion/expand.go",
     .pod = variable_names,
     .severity = Severity::Warning,
     .because = "The kubelet leaves a name that it does not know as it is written, and the program "
                "sees `$(NAME)`.",
     .fix = "write the name that the variable has in `env`",
     .rule = "argument-check"},
    {.name = "variable-order",
     .on = "pod",
     .sentence = "A variable whose value refers to another as `$(NAME)` comes after that one.",
     .source = "kubernetes/kubernetes pkg/kubelet/kubelet_pods.go makeEnvironmentVariables; "
               "pkg/controller/job/indexed_job_utils.go addCompletionIndexEnvVariable",
     .pod = variable_order,
     .because = "The kubelet expands values in the order of the list and leaves a name that it has "
                "not come to as it is written: the program sees `$(NAME)`.",
     .fix = "put the other variable in front, by the name that it has; take the index of an "
            "Indexed Job by `fieldRef` from "
            "annotation `batch.kubernetes.io/job-completion-index`, and let a shell add to what "
            "the image sets"},
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
