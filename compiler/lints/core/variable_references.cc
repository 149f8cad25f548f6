#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "check/check.h"
#include "check/typos.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/launch.h"
#include "shell/command_line.h"
#include "tree/typed_fields.h"

// Variables that commands, other variables and subPaths name by `$(NAME)`.

namespace trainyard {
namespace {

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
  Appending(const Pod& pod, CheckContext& context) : pod_(pod), context_(context) {}

  /// "" when no controller adds it.
  std::string by(View container, std::string_view name) {
    if (workload_ == nullptr) read();
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
    if (workload_ == nullptr) read();
    if (role_ == nullptr) return false;
    return (name == "JOB_COMPLETION_INDEX" && is_indexed(*workload_, *role_)) ||
           is_injected(*workload_, *role_, container, name);
  }

 private:
  void read() {
    workload_ = &context_.workload();
    for (const WorkloadRole& role : workload_->roles) {
      if (role.pod.spec.is_at(pod_.spec)) role_ = &role;
    }
  }

  const Pod& pod_;
  CheckContext& context_;
  const Workload* workload_ = nullptr;  // read when it is first needed
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

/// `by` refers to variable `name`, which comes `later`, or which a controller has `added`.
void expanded_too_soon(View by, std::string_view name, View later, const std::string& added,
                       CheckContext& context) {
  const std::string_view own = string_at(by, "name");
  const bool is_own = later && name == own;
  // No order would be right.
  const auto named = expanded_names(string_at(later, "value"));
  const bool is_circle = later && std::ranges::find(named, own) != named.end();
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

/// The only variable of the container whose name is one typo away. Not among very many: each
/// mention is compared with each variable.
View near_variable(View container, std::string_view name) {
  constexpr std::uint32_t kMost = 1000;
  const View variables = get(container, "env");
  if (!variables || variables->size > kMost) return {};
  View found;
  for (View each : items_at(container, "env")) {
    const std::string_view own = string_at(each, "name");
    if ((found && own == string_at(found, "name")) || !is_typo_of_name(name, own)) continue;
    if (found) return {};
    found = each;
  }
  return found;
}

/// The variable that the controller gives the container whose name is one typo away; "" for none.
std::string_view near_given(View container, std::string_view name, Appending& appending) {
  constexpr auto all = std::to_array<std::string_view>(
      {"WORLD_SIZE", "RANK", "MASTER_ADDR", "MASTER_PORT", "JOB_COMPLETION_INDEX", "VC_TASK_INDEX",
       "VK_TASK_INDEX", "LWS_LEADER_ADDRESS", "LWS_GROUP_SIZE", "LWS_WORKER_INDEX", "PET_NNODES",
       "PET_NPROC_PER_NODE", "PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT",
       "PET_RDZV_ENDPOINT", "PET_RDZV_BACKEND"});
  const auto is_near = [&](std::string_view given) {
    return is_typo_of_name(name, given) && appending.gives(container, given);
  };
  const auto found = std::ranges::find_if(all, is_near);
  return found == all.end() ? std::string_view() : *found;
}

/// A typo in the name of a variable that no template has, as the controller gives it.
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

/// Kinds to which nothing but their own controller adds variables; elsewhere a kustomization or a
/// webhook often does.
bool is_job(View object) {
  const std::string_view group = group_of(string_at(object, "apiVersion"));
  constexpr auto kGroups = std::to_array<std::string_view>(
      {"batch", "batch.volcano.sh", "jobset.x-k8s.io", "kubeflow.org", "leaderworkerset.x-k8s.io"});
  return std::ranges::find(kGroups, group) != kGroups.end();
}

/// Of webhooks in clouds, for accelerators and identities.
bool is_of_cloud(std::string_view name) {
  constexpr auto kBegins = std::to_array<std::string_view>(
      {"TPU_", "AWS_", "KUBERNETES_", "AZURE_", "GOOGLE_", "MEGASCALE_"});
  return std::ranges::any_of(kBegins, [&](auto begin) { return name.starts_with(begin); });
}

/// A variable that neither the template has, nor a controller, a Service or a cloud gives.
bool stays_unset(View at, View container, std::string_view name, Appending& appending,
                 CheckContext& context) {
  if (name.find('_') == name.npos || is_of_cloud(name) || !is_job(context.object())) return false;
  if (has_items(get(container, "envFrom")) || appending.gives(container, name)) return false;
  if (name.find("_SERVICE_") != name.npos || name.find("_PORT") != name.npos) return false;
  if (string_of(at).find("{{") != std::string_view::npos) return false;
  context.lint(at, shown("$(" + std::string(name) + ")") +
                       " stays as it is written: nothing sets " + shown(name) + " in container " +
                       shown(string_at(container, "name")));
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
    if (!near && stays_unset(at, container, name, appending, context)) return;
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
    {.name = "sub-path-variable",
     .group = CheckGroup::Core,
     .effect = Effect::NeverRuns,
     .sentence = "Variables in `subPathExpr` are those of the container.",
     .source = "kubernetes/kubernetes pkg/kubelet/container/helpers.go ExpandContainerVolumeMounts",
     .pod = sub_path_variables,
     .because = "The kubelet makes no container without the value: it stays in "
                "CreateContainerConfigError.",
     .fix = "define the variable in `env` of the same container"},
    {.name = "variable-name",
     .group = CheckGroup::Launch,
     .effect = Effect::RunsWrong,
     .stage = Stage::Preview,
     .sentence = "Variables in arguments and in values of others, as `$(NAME)`, are set, and "
                 "spelt as they are defined.",
     .source = "kubernetes/kubernetes third_party/forked/golang/expansion/expand.go",
     .pod = variable_names,
     .severity = Severity::Warning,
     .because = "The kubelet leaves a name that it does not know as it is written, and the program "
                "sees `$(NAME)`.",
     .fix = "write the name that the variable has in `env`",
     .rule = "argument-check"},
    {.name = "variable-order",
     .group = CheckGroup::Core,
     .effect = Effect::RunsWrong,
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
};

}  // namespace

constinit const std::span<const Check> variable_reference_lints = kChecks;

}  // namespace trainyard
