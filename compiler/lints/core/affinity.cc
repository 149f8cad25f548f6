// Rules that keep pods apart, and keep apart more than they should.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "check/check.h"
#include "check/typos.h"
#include "diag/words.h"
#include "lints/core/known_values.h"
#include "lints/tables.h"
#include "manifest/go_text.h"
#include "manifest/launch.h"
#include "manifest/node_pools.h"
#include "manifest/pod_labels.h"
#include "manifest/selectors.h"
#include "source/word_table.h"
#include "spec/cluster.h"
#include "tree/entry_index.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Labels that say what a pod is to its job, and not which job: those of every job have the same.
constexpr auto kSharedLabels = word_table<
    "jobset.sigs.k8s.io/replicatedjob-name jobset.sigs.k8s.io/job-index "
    "batch.kubernetes.io/job-completion-index training.kubeflow.org/replica-type "
    "training.kubeflow.org/replica-index training.kubeflow.org/job-role "
    "training.kubeflow.org/operator-name trainer.kubeflow.org/trainjob-ancestor-step "
    "volcano.sh/task-spec volcano.sh/task-index ray.io/node-type ray.io/is-ray-node "
    "leaderworkerset.sigs.k8s.io/worker-index app.kubernetes.io/component "
    "app.kubernetes.io/part-of app.kubernetes.io/managed-by">;

bool is_shared(std::string_view key) {
  return std::ranges::find(kSharedLabels, key) != kSharedLabels.end();
}

/// Labels that pods of every sort have: that one is there says nothing.
bool is_common(std::string_view key) {
  constexpr auto keys = std::to_array<std::string_view>(
      {"app", "name", "job-name", "batch.kubernetes.io/job-name", "jobset.sigs.k8s.io/jobset-name",
       "training.kubeflow.org/job-name", "volcano.sh/job-name", "app.kubernetes.io/name",
       "app.kubernetes.io/instance"});
  return std::ranges::find(keys, key) != keys.end();
}

/// Whether a term names the job of its pods. True also for terms that we cannot judge.
bool names_a_job(View term) {
  const View selector = get(term, "labelSelector");
  if (has_items(get(term, "matchLabelKeys")) || has_items(get(term, "mismatchLabelKeys"))) {
    return true;
  }
  for (View label : entries_at(selector, "matchLabels")) {
    if (!is_shared(label.key())) return true;
  }
  for (View expression : items_at(selector, "matchExpressions")) {
    const std::string_view key = string_at(expression, "key");
    const bool any_value = string_at(expression, "operator") == "Exists";
    if (!is_shared(key) && !(any_value && is_common(key))) return true;
  }
  return false;
}

/// Required terms of `podAffinity` or `podAntiAffinity` with a selector; without one they match no
/// pod.
std::vector<View> terms(View pod_spec, std::string_view which) {
  std::vector<View> found;
  const View rules = get(get(pod_spec, "affinity"), which);
  for (View term : items_at(rules, "requiredDuringSchedulingIgnoredDuringExecution")) {
    const View selector = get(term, "labelSelector");
    if (selector && selector->is_map()) found.push_back(term);
  }
  return found;
}

void anti_affinity(const Pod& pod, CheckContext& context) {
  if (string_at(context.object(), "kind") == "DaemonSet") return;  // for one pod on each node
  for (View term : terms(pod.spec, "podAntiAffinity")) {
    if (names_a_job(term)) continue;
    const View selector = get(term, "labelSelector");
    const bool all = selector->size == 0 || (!has_items(get(selector, "matchLabels")) &&
                                             !has_items(get(selector, "matchExpressions")));
    context.lint(selector, all ? "the pods keep away from every other pod of the namespace"
                               : "the pods keep away from those of other jobs, too: the selector "
                                 "names a role that all jobs have");
  }
}

/// A rule by which no two pods of a role are on one node.
View own_rule(const Workload& workload, const WorkloadRole& role, std::string_view which) {
  for (View term : terms(role.pod.spec, which)) {
    if (string_at(term, "topologyKey") != "kubernetes.io/hostname") continue;
    const bool own = selects(get(term, "labelSelector"),
                             [&](std::string_view key) { return label_of(workload, role, key); });
    if (own) return term;
  }
  return {};
}

/// The nodes that a role may run on; nothing when the Cluster does not say it of all pools.
std::optional<std::int64_t> nodes_for(const WorkloadRole& role, const Cluster* cluster) {
  if (cluster == nullptr || cluster->spec->pools->empty()) return std::nullopt;
  std::int64_t nodes = 0;
  for (const auto& pool : *cluster->spec->pools) {
    if (!may_select(*pool, role.pod.spec)) continue;
    if (!pool->count) return std::nullopt;
    nodes += *pool->count;
  }
  return nodes;
}

void own_ranks(const Workload& workload, CheckContext& context) {
  for (const WorkloadRole& role : workload.roles) {
    if (role.pods < 2 || !role.pod.spec) continue;
    const bool may_be_together =
        static_cast<bool>(get(get(role.pod.spec, "affinity"), "podAffinity"));
    if (!may_be_together && context.cluster() == nullptr) continue;
    const View apart = own_rule(workload, role, "podAntiAffinity");
    if (!apart) continue;
    if (const View together = own_rule(workload, role, "podAffinity")) {
      context
          .lint(apart, pods_of(role) + " are to be on one node, and on no node together",
                Severity::Error)
          .also(context.place(together), "on one node");
      continue;
    }
    const auto nodes = nodes_for(role, context.cluster());
    if (!nodes || *nodes >= role.pods || *nodes == 0) continue;
    context.lint(apart, pods_of(role) + " want a node each, and the pools of the Cluster have " +
                            std::to_string(*nodes) + ": the others stay pending");
  }
}

/// kubernetes/kubernetes staging/src/k8s.io/component-helpers/scheduling/corev1/nodeaffinity: what
/// cannot be parsed is an error for every node.
void whole_numbers(View term, CheckContext& context) {
  for (View expression : items_at(term, "matchExpressions")) {
    const std::string_view which = string_at(expression, "operator");
    if (which != "Gt" && which != "Lt") continue;
    for (View value : items_at(expression, "values")) {
      if (value.kind() != Kind::String || go_integer(value->text)) continue;
      context.lint(value, "operator " + shown(which) + " compares whole numbers, and " +
                              shown(value->text) + " is none: no node is ever chosen");
    }
  }
}

void node_numbers(const Pod& pod, CheckContext& context) {
  const View rules = get(get(pod.spec, "affinity"), "nodeAffinity");
  const View required = get(rules, "requiredDuringSchedulingIgnoredDuringExecution");
  for (View term : items_at(required, "nodeSelectorTerms")) whole_numbers(term, context);
  for (View each : items_at(rules, "preferredDuringSchedulingIgnoredDuringExecution")) {
    whole_numbers(get(each, "preference"), context);
  }
}

/// Whether no node can have this label and fit the expression.
bool excludes(View expression, View label) {
  if (string_at(expression, "key") != label.key()) return false;
  const std::string_view which = string_at(expression, "operator");
  const bool among = std::ranges::any_of(items_at(expression, "values"),
                                         [&](View value) { return value->text == label->text; });
  if (which == "In") return !among;
  return which == "DoesNotExist" || (which == "NotIn" && among);
}

bool has_value(View expression, std::string_view text) {
  return std::ranges::any_of(items_at(expression, "values"),
                             [text](View value) { return value->text == text; });
}

/// Whether no node can fit both; the other way round is another question.
bool contradicts(View one, View other) {
  if (string_at(one, "key") != string_at(other, "key")) return false;
  const std::string_view which = string_at(one, "operator");
  const std::string_view its = string_at(other, "operator");
  if (its == "DoesNotExist")
    return which == "In" || which == "Exists" || which == "Gt" || which == "Lt";
  if (which != "In" || (its != "In" && its != "NotIn")) return false;
  return std::ranges::all_of(items_at(one, "values"), [&](View value) {
    return has_value(other, value->text) == (its == "NotIn");
  });
}

/// Two expressions of a term that no node fits together.
struct Contradiction {
  View one;
  View other;
};

/// Terms of more expressions and values are passed over: each is held against each.
constexpr std::size_t kMostCompared = 300;

std::size_t size_of(View term) {
  std::size_t size = 0;
  for (View each : items_at(term, "matchExpressions")) {
    const View values = get(each, "values");
    size += 1 + (values ? values->size : 0);
  }
  return size;
}

Contradiction contradiction_in(View term) {
  if (size_of(term) > kMostCompared) return {};
  for (View one : items_at(term, "matchExpressions")) {
    for (View other : items_at(term, "matchExpressions")) {
      if (one.id() != other.id() && contradicts(one, other)) return {one, other};
    }
  }
  return {};
}

/// Terms that can never be fulfilled.
bool terms_contradict(View terms, CheckContext& context) {
  Contradiction first;
  for (View term : Items(terms)) {
    const Contradiction found = contradiction_in(term);
    if (!found.one) return false;
    if (!first.one) first = found;
  }
  context
      .lint(first.other, "no node fits: the same term wants of " +
                             shown(string_at(first.other, "key")) + " what this rules out")
      .also(context.place(first.one), "what it wants");
  return true;
}

/// The selector and one term of the affinity have to fit the same node.
void selector_and_affinity(const Pod& pod, CheckContext& context) {
  const View selector = get(pod.spec, "nodeSelector");
  const View rules = get(get(pod.spec, "affinity"), "nodeAffinity");
  const View terms =
      get(get(rules, "requiredDuringSchedulingIgnoredDuringExecution"), "nodeSelectorTerms");
  if (!has_items(terms) || terms_contradict(terms, context) || !has_items(selector)) return;
  const EntryIndex labels(selector);
  View label;
  View expression;
  for (View term : Items(terms)) {
    bool is_out = false;
    for (View each : items_at(term, "matchExpressions")) {
      const View wanted = labels[string_at(each, "key")];
      if (!wanted || !excludes(each, wanted)) continue;
      is_out = true;
      label = wanted;
      expression = each;
    }
    if (!is_out) return;
  }
  context
      .lint(expression, "no node fits: `nodeSelector` wants " + shown(label.key()) + " to be " +
                            shown(label->text) + ", and this does not")
      .also(context.place(label), "the selector");
}

/// Whether another rule is about the same topology: then one of the two may well be about
/// pods of another job.
bool has_other_of_topology(View pod_spec, View rule) {
  return std::ranges::any_of(items_at(pod_spec, "topologySpreadConstraints"), [&](View other) {
    return other.id() != rule.id() &&
           string_at(other, "topologyKey") == string_at(rule, "topologyKey");
  });
}

/// The label of the pods that a term with a typo means.
/// It may stand on the object instead; controllers of these kinds copy nothing from there to
/// their pods.
View meant_label(const Workload& workload, const WorkloadRole& role, View wanted) {
  const View labels = get(role.pod.metadata, "labels");
  const View own = get(labels, wanted.key());
  if (own) return is_typo_of_name(wanted->text, own->text) ? own : View();
  for (View each : Items(labels)) {
    if (each->text == wanted->text && is_typo_of_name(wanted.key(), each.key())) return each;
  }
  const View of_object = get(get(get(workload.object, "metadata"), "labels"), wanted.key());
  const bool copies_none = workload.is("batch", "Job") || workload.group == "kubeflow.org";
  return copies_none && of_object && of_object->text == wanted->text ? of_object : View();
}

/// Whether the label is one by which people name their programs, and no pod of the job has it.
bool is_label_of_nobody(const Workload& workload, View wanted) {
  constexpr auto names = std::to_array<std::string_view>({"app", "job", "name", "run"});
  return std::ranges::find(names, wanted.key()) != names.end() &&
         std::ranges::none_of(workload.roles, [&](const WorkloadRole& role) {
           return label_of(workload, role, wanted.key()).has_value();
         });
}

/// A rule that spreads pods counts those that its selector names, and these pods are none of them.
/// Users who spread pods away from pods of others mean it, so report it only if the label is one of
/// these pods by an evident typo, or where no pod of the job has a label by which one names
/// programs. Keys with a domain may be those of a controller.
void spread_selector(const Workload& workload, CheckContext& context) {
  for (const WorkloadRole& role : workload.roles) {
    for (View rule : items_at(role.pod.spec, "topologySpreadConstraints")) {
      if (has_other_of_topology(role.pod.spec, rule)) continue;
      for (View wanted : entries_at(get(rule, "labelSelector"), "matchLabels")) {
        const auto label = label_of(workload, role, wanted.key());
        if (label && *label == wanted->text) continue;
        const View meant = meant_label(workload, role, wanted);
        if (!meant && !is_label_of_nobody(workload, wanted)) continue;
        if (!meant) {
          context.lint(wanted, "the rule counts pods with the label " + shown(wanted.key()) +
                                   ", which " + pods_of(role) +
                                   " do not have: it counts none of them");
          break;
        }
        context
            .lint(wanted, "the rule counts pods with " +
                              shown(std::string(wanted.key()) + "=" + std::string(wanted->text)) +
                              ", and " + pods_of(role) + " are none of them: it spreads nothing")
            .also(context.place(meant), "very likely this label is meant");
        break;
      }
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "node-label",
     .group = CheckGroup::Core,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "Labels by which nodes are chosen are spelt as nodes have them.",
     .source = "kubernetes/website content/en/docs/reference/labels-annotations-taints/_index.md; "
               "NVIDIA/k8s-device-plugin docs/gpu-feature-discovery/README.md",
     .pod = check_node_labels,
     .severity = Severity::Warning,
     .because = "No node has the label: the pods stay pending.",
     .fix = "write the label, and its value, as `kubectl get nodes --show-labels` has them"},
    {.name = "processors",
     .group = CheckGroup::Core,
     .effect = Effect::NeverRuns,
     .sentence = "No container asks for more processors than any machine has.",
     .source = "kubernetes/kubernetes pkg/scheduler/framework/plugins/noderesources/fit.go",
     .pod = check_processors,
     .severity = Severity::Warning,
     .because = "No node has room: the pods stay pending.",
     .fix = "write thousandths of a processor with `m`"},
    {.name = "spread-selector",
     .group = CheckGroup::Core,
     .effect = Effect::RunsWrong,
     .stage = Stage::Preview,
     .sentence = "A rule that spreads the pods of a job counts these pods.",
     .source =
         "kubernetes/kubernetes pkg/scheduler/framework/plugins/podtopologyspread/filtering.go",
     .workload = spread_selector,
     .severity = Severity::Warning,
     .because = "Pods that the selector does not name are not counted: all may go to one node.",
     .fix = "select by labels of the pod template"},
    {.name = "node-selector-and-affinity",
     .group = CheckGroup::Core,
     .effect = Effect::NeverRuns,
     .sentence = "The node selector of a pod and its node affinity leave a node.",
     .source = "kubernetes/kubernetes "
               "staging/src/k8s.io/component-helpers/scheduling/corev1/nodeaffinity "
               "GetRequiredNodeAffinity",
     .pod = selector_and_affinity,
     .because = "Both must hold of the node: the pods stay Pending.",
     .fix = "let them name the same nodes, or keep one of them"},
    {.name = "node-numbers",
     .group = CheckGroup::Core,
     .effect = Effect::NeverRuns,
     .sentence = "Terms about nodes that compare numbers have numbers.",
     .source = "kubernetes/kubernetes "
               "staging/src/k8s.io/component-helpers/scheduling/corev1/nodeaffinity; "
               "staging/src/k8s.io/apimachinery/pkg/labels/selector.go NewRequirement",
     .pod = node_numbers,
     .because = "The API server takes the text, the scheduler cannot read it, and the pods stay "
                "pending.",
     .fix = "write a whole number in quotes, in the unit of the label: "
            "`nvidia.com/gpu.memory` counts MiB"},
    {.name = "broad-anti-affinity",
     .group = CheckGroup::Core,
     .effect = Effect::Risky,
     .stage = Stage::Preview,
     .sentence = "Rules that keep the pods of a job apart say which job.",
     .source = "kubernetes/kubernetes pkg/scheduler/framework/plugins/interpodaffinity: a required "
               "term of one pod counts against pods that come later",
     .pod = anti_affinity,
     .severity = Severity::Note,
     .because = "Two jobs cannot share a node then, however many GPUs are free there.",
     .fix = "select by a label that this job alone has, such as its name"},
    {.name = "ranks-apart",
     .group = CheckGroup::Core,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "Pods of a job that must not share a node have nodes enough.",
     .source = "kubernetes/kubernetes pkg/scheduler/framework/plugins/interpodaffinity",
     .workload = own_ranks,
     .severity = Severity::Warning,
     .because = "The rule holds among the pods of the job as well: on big nodes there is room for "
                "several, and only one is let in.",
     .fix = "leave the rule out, or prefer it instead of requiring it"},
};

}  // namespace

const std::span<const Check> affinity_lints = kChecks;

}  // namespace trainyard
