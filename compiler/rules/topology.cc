#include <algorithm>
#include <string>
#include <vector>

#include "capacity/topology_levels.h"
#include "plan/release.h"
#include "rules/affinity.h"
#include "rules/rule.h"
#include "rules/rule_context.h"
#include "rules/topology_level.h"

namespace trainyard {
namespace {

/// Roles that want to stay in one part of the cluster, by one wish of the spec.
struct Wish {
  Located<TopologyRequest> request;
  std::vector<RoleInput*> inputs;
  std::string_view label;        // of nodes, behind the level
  std::string_view slice_label;  // likewise; "" without slices

  bool is_required() const {
    return request->mode.value_or(TopologyMode::Required) == TopologyMode::Required;
  }
  std::vector<const Role*> roles() const {
    std::vector<const Role*> result;
    for (const RoleInput* input : inputs) result.push_back(input->role);
    return result;
  }
};

/// Reports an unknown level, and gives its label otherwise.
std::string_view known_label(RuleContext& context, const RoleInput& input, const Text& level) {
  const std::string_view label = level_label(context, input, *level);
  if (!label.empty()) return label;
  Diagnostic& report = context.report(DiagnosticKind::UnknownReference, level.span,
                                      "no pool of this job has a topology level " + code(*level));
  std::string known;
  for (const auto& each : levels_of(context, input)) {
    known += (known.empty() ? "" : ", ") + code(*each->name);
  }
  report.note(known.empty() ? "name a level of the Cluster's `pools`, or the key of a node label"
                            : "it has " + known + "; the key of a node label will do, too");
  return {};
}

/// The field of a role in which its slices are for Volcano.
constexpr std::string_view kRuns = "role.runs";

class Near {
 public:
  Near(RuleContext& context, const Queueing* how, bool job_wide)
      : context_(context), how_(how), job_wide_(job_wide) {}

  /// Whether the wish can be met at all; else why not has been said.
  bool resolve(Wish& wish) {
    const TopologyRequest& wanted = *wish.request;
    for (const RoleInput* input : wish.inputs) {
      const std::string_view label = known_label(context_, *input, wanted.level);
      if (label.empty()) return false;
      if (!wish.label.empty() && wish.label != label) {
        context_.report(DiagnosticKind::ConflictingValues, wanted.level.span,
                        "the nodes of this job's roles have different labels for the level " +
                            code(*wanted.level) + ": " + code(wish.label) + " and " + code(label));
        return false;
      }
      wish.label = label;
    }
    if (!wanted.slice) return true;
    wish.slice_label = known_label(context_, *wish.inputs.front(), wanted.slice->level);
    return !wish.slice_label.empty() && slices_divide(wish);
  }

  void apply(const Wish& wish) {
    wish_has_slices_ = wish.request->slice.given();
    if (!context_.in.target->pod_template) return by_fields(wish);
    const TopologyWay way = how_ == nullptr ? TopologyWay::Affinity : how_->topology;
    switch (way) {
      case TopologyWay::Pods:
        return by_kueue(wish);
      case TopologyWay::Group:
      case TopologyWay::Labels:
        return by_volcano(wish, way == TopologyWay::Labels);
      case TopologyWay::Job:
      case TopologyWay::Runtime:
        return by_kai(wish, way == TopologyWay::Runtime);
      case TopologyWay::Affinity:
        return by_affinity(wish);
      case TopologyWay::None:
        return refuse(wish.request.span, "`spec.placement.topology`",
                      "its controller makes the group of the pods, and hands no level on");
    }
  }

 private:
  OriginId asked(const Wish& wish) const {
    return context_.because({context_.from(wish.request->level)});
  }

  bool slices_divide(const Wish& wish) {
    const TopologySlice& slice = *wish.request->slice;
    for (const RoleInput* input : wish.inputs) {
      const std::int64_t pods = *input->role->replicas;
      if (pods % *slice.nodes == 0) continue;
      context_
          .report(DiagnosticKind::ConflictingValues, slice.nodes.span,
                  "slices of " + std::to_string(*slice.nodes) + " nodes do not divide the " +
                      std::to_string(pods) + " of role " + code(input->role->name) + ": " +
                      std::to_string(pods % *slice.nodes) + " would be left over")
          .also(context_.place(input->role->replicas.origin), "the number of nodes");
      return false;
    }
    return true;
  }

  void refuse(Span where, const std::string& what, std::string_view because) {
    const std::string by = context_.plan.system ? " with " + code(*context_.plan.system) : "";
    Diagnostic& report = context_.report(
        DiagnosticKind::NotExpressible, where,
        "target " + code(context_.in.target->name) + by + " cannot express " + what);
    report.note(std::string(because));
    const bool slices = wish_has_slices_;
    std::string able;
    for (const Queueing& row : context_.in.target->queueing) {
      const bool can =
          slices ? row.topology == TopologyWay::Pods : row.topology != TopologyWay::None;
      if (!can || &row == how_) continue;
      able += (able.empty() ? "" : ", ") + code(row.system);
    }
    if (able.empty()) return;
    report.note((slices ? "slices of a job are known to " : "levels of topology are known to ") +
                able);
  }

  bool no_slices(const Wish& wish, std::string_view because) {
    if (!wish.request->slice) return true;
    refuse(wish.request->slice.span, "`spec.placement.topology.slice`", because);
    return false;
  }

  /// For what holds for the job as a whole.
  bool one_for_all(const Wish& wish) {
    if (job_wide_) return true;
    refuse(wish.request.span, "`topology` of a part of the job", "it places all pods by one level");
    return false;
  }

  /// Whether the release of a system can do something; without a Cluster the newest is taken.
  bool knows(Operator system, std::string_view name, std::string_view least, Span where,
             std::string_view what) {
    if (context_.in.cluster == nullptr) return true;
    const Text installed = operator_version(*context_.in.cluster, system);
    const auto has = installed ? release(*installed) : std::nullopt;
    if (!has || *has >= *release(least)) return true;
    context_
        .report(DiagnosticKind::UnsupportedVersion, where,
                std::string(what) + " needs " + std::string(name) + " " + std::string(least) +
                    " or later, the Cluster has " + std::string(*installed))
        .also(installed.span, "the release of " + std::string(name));
    return false;
  }

  // --- Kueue: kubernetes-sigs/kueue apis/kueue/v1beta1/topology_types.go

  void by_kueue(const Wish& wish) {
    const bool grouped = wish.inputs.size() > 1;
    if (!knows(Operator::Kueue, "Kueue", grouped || wish.request->slice ? "0.14" : "0.9",
               wish.request.span, "placement by topology")) {
      return;
    }
    if (grouped && wish.is_required() && !can_be_grouped(wish)) return;
    if (grouped && !no_slices(wish, "Kueue ties roles together or cuts them, and not both")) return;
    const OriginId origin = asked(wish);
    for (RoleInput* input : wish.inputs) {
      annotate(*input, wish.is_required() ? "required-topology" : "preferred-topology", wish.label,
               origin);
      if (grouped && wish.inputs.size() == 2 && has_single(wish)) {
        annotate(*input, "group-name", "nodes", origin);
      }
      if (!wish.request->slice) continue;
      const TopologySlice& slice = *wish.request->slice;
      annotate(*input, "slice-required-topology", wish.slice_label, context_.from(slice.level));
      annotate(*input, "slice-size", context_.number(*slice.nodes), context_.from(slice.nodes));
    }
  }

  void annotate(RoleInput& input, std::string_view what, std::string_view value, OriginId origin) {
    context_.add(input.role->pod_annotations, context_.text("kueue.x-k8s.io/podset-", what), value,
                 origin);
  }

  static bool has_single(const Wish& wish) {
    return std::ranges::any_of(wish.inputs,
                               [](const RoleInput* input) { return *input->role->replicas == 1; });
  }

  /// Kueue places each role by itself, except a pair with a role of a single pod.
  bool can_be_grouped(const Wish& wish) {
    if (wish.inputs.size() == 2 && has_single(wish)) return true;
    refuse(wish.request.span, "one domain for several roles",
           "Kueue keeps two roles together at most, one of them a single pod");
    return false;
  }

  // --- Volcano: volcano-sh/apis pkg/apis/scheduling/v1beta1/types.go NetworkTopologySpec

  std::optional<std::int64_t> known_tier(const Wish& wish, const Text& level,
                                         std::string_view label) {
    const auto tier = level_tier(context_, *wish.inputs.front(), label);
    if (!tier) {
      context_
          .report(DiagnosticKind::MissingFact, level.span,
                  "the Cluster does not say which tier of Volcano's HyperNodes the level " +
                      code(*level) + " is")
          .note("list the levels of the pool in the Cluster, under `topology`");
    }
    return tier;
  }

  void by_volcano(const Wish& wish, bool by_labels) {
    if (!one_for_all(wish)) return;
    const bool has_runs = std::ranges::count(context_.in.target->lacking, kRuns) == 0;
    if (!has_runs &&
        !no_slices(wish,
                   "a group of pods that are alike has no labels to tell its slices apart; "
                   "tasks of a Volcano Job have")) {
      return;
    }
    const auto tier = known_tier(wish, wish.request->level, wish.label);
    if (!tier || (wish.request->slice && !cut_into_runs(wish))) return;
    const OriginId origin = asked(wish);
    const std::string_view mode = wish.is_required() ? "hard" : "soft";
    if (by_labels) {
      // ray-project/kuberay ray-operator/controllers/ray/batchscheduler/volcano
      auto& labels = context_.plan.workload_labels;
      context_.add(labels, "volcano.sh/network-topology-mode", mode, origin);
      context_.add(labels, "volcano.sh/network-topology-highest-tier-allowed",
                   context_.number(*tier), origin);
      return;
    }
    if (context_.plan.gang.system) {
      context_.set(context_.plan.topology.mode, mode, origin);
      context_.set(context_.plan.topology.highest_tier, *tier, origin);
      return;
    }
    // The group of a lone pod is made from what the pod says.
    for (RoleInput* each : wish.inputs) {
      auto& annotations = each->role->pod_annotations;
      context_.add(annotations, "volcano.sh/network-topology-mode", mode, origin);
      context_.add(annotations, "volcano.sh/network-topology-highest-tier", context_.number(*tier),
                   origin);
    }
  }

  /// The controller counts the pods of a task in runs (volcano-sh/volcano
  /// pkg/controllers/job/job_controller_util.go), and the webhook wants them to come out even.
  bool cut_into_runs(const Wish& wish) {
    const TopologySlice& slice = *wish.request->slice;
    if (!knows(Operator::Volcano, "Volcano", "1.14", wish.request->slice.span,
               "placement by slices")) {
      return false;
    }
    const auto tier = known_tier(wish, slice.level, wish.slice_label);
    if (!tier) return false;
    for (RoleInput* input : wish.inputs) {
      const OriginId origin =
          context_.because({context_.from(slice.nodes), input->role->replicas.origin});
      context_.set(input->role->runs, *input->role->replicas / *slice.nodes, origin);
      context_.set(input->role->run_pods, *slice.nodes, context_.from(slice.nodes));
      context_.set(input->role->run_tier, *tier, context_.because({context_.from(slice.level)}));
    }
    return true;
  }

  // --- KAI: kai-scheduler/KAI-Scheduler docs/topology/README.md

  void by_kai(const Wish& wish, bool in_runtime) {
    if (!one_for_all(wish)) return;
    if (!no_slices(
            wish,
            "KAI cuts only the workers of a PyTorchJob into segments, and rank 0 is none of them"))
      return;
    const Located<Pool>* pool = wish.inputs.front()->nodes.pool;
    if (pool == nullptr || levels_of(context_, *wish.inputs.front()).empty()) {
      context_
          .report(DiagnosticKind::MissingFact, wish.request->level.span,
                  "KAI finds the level " + code(*wish.request->level) +
                      " in a Topology, and the Cluster does not say in which")
          .note(
              "list the levels of the job's pool in the Cluster, under `topology`: "
              "`trainyard build` makes a Topology with the pool's name of them");
      return;
    }
    if (!kai_has_level(wish)) return;
    const OriginId origin = asked(wish);
    auto& annotations =
        in_runtime ? context_.plan.runtime.annotations : context_.plan.workload_annotations;
    context_.add(annotations, "kai.scheduler/topology", *(*pool)->name,
                 context_.because({context_.from((*pool)->topology ? (*pool)->topology.span
                                                                   : (*pool)->name.span)}));
    context_.add(annotations,
                 wish.is_required() ? "kai.scheduler/topology-required-placement"
                                    : "kai.scheduler/topology-preferred-placement",
                 wish.label, origin);
  }

  /// The Topology is made of the pool's levels, down to the node.
  bool kai_has_level(const Wish& wish) {
    const RoleInput& input = *wish.inputs.front();
    if (wish.label == kHostNameLevel) return true;
    for (const auto& level : levels_of(context_, input)) {
      if (*level->node_label == wish.label) return true;
    }
    const Pool& pool = **input.nodes.pool;
    context_
        .report(
            DiagnosticKind::UnknownReference, wish.request->level.span,
            "the Topology of the pool " + code(*pool.name) + " has no level " + code(wish.label))
        .also(pool.topology ? pool.topology.span : pool.name.span, "its levels")
        .note("add the level to the pool's `topology`");
    return false;
  }

  // --- without any of them

  void by_affinity(const Wish& wish) {
    if (!no_slices(wish, "affinity between pods knows no slices")) return;
    const OriginId origin = asked(wish);
    Tree& tree = context_.tree();
    const std::vector<const Role*> roles = wish.roles();
    label_roles(context_, roles);
    for (RoleInput* input : wish.inputs) {
      const NodeId affinity = affinity_of(context_, *input->role, origin);
      const NodeId near = entry_of(tree, affinity, "podAffinity", Kind::Map, origin);
      const NodeId term = own_pods(context_, roles, wish.label, origin);
      if (wish.is_required()) {
        tree.append(entry_of(tree, near, "requiredDuringSchedulingIgnoredDuringExecution",
                             Kind::Seq, origin),
                    term);
        continue;
      }
      constexpr std::int64_t kMost = 100;
      const NodeId weighted = tree.add_map(origin);
      tree.append(weighted, "weight", tree.add_int(kMost, origin));
      tree.append(weighted, "podAffinityTerm", term);
      tree.append(entry_of(tree, near, "preferredDuringSchedulingIgnoredDuringExecution", Kind::Seq,
                           origin),
                  weighted);
    }
  }

  /// A system whose workloads have fields for it in place of pods.
  void by_fields(const Wish& wish) {
    if (!one_for_all(wish)) return;
    if (!no_slices(wish, "it has a field for one level")) return;
    RunaiPlan& plan = context_.plan.runai;
    context_.set(plan.affinity_topology, wish.label, asked(wish));
    context_.set(plan.affinity_rule, std::string_view(wish.is_required() ? "hard" : "soft"),
                 wish.request->mode ? context_.from(wish.request->mode)
                                    : context_.by_default("spec.placement.topology.mode"));
  }

  RuleContext& context_;
  const Queueing* how_;
  bool job_wide_;
  bool wish_has_slices_ = false;
};

/// A domain that the job has for itself: kubernetes-sigs/jobset pkg/webhooks/pod_webhook.go.
void keep_for_itself(RuleContext& context, const Wish& wish) {
  const TopologyRequest& wanted = *wish.request;
  const auto refuse = [&](Span where, const std::string& what, std::string_view because) {
    context
        .report(DiagnosticKind::NotExpressible, where,
                "target " + code(context.in.target->name) + " cannot express " + what)
        .note(std::string(because));
  };
  if (context.roles.size() > 1 && !context.in.target->exclusive_across_roles) {
    return refuse(wanted.exclusive.span, "`exclusive` of a job of several roles",
                  "each of its pods would get a domain of its own");
  }
  if (!wish.is_required()) {
    return refuse(wanted.mode.span, "`exclusive` of a preferred domain",
                  "a job that has a domain for itself waits until there is one");
  }
  if (wanted.slice) {
    return refuse(wanted.slice.span, "`slice` within an exclusive domain",
                  "its controller knows one level only");
  }
  auto& annotations = context.in.target->runtimes ? context.plan.runtime.annotations
                                                  : context.plan.workload_annotations;
  context.add(annotations, context.in.target->exclusive_topology, wish.label,
              context.from(wanted.exclusive));
}

/// What the roles that train wish for; those with the same wish together. A role that only starts
/// the others runs anywhere.
std::vector<Wish> wishes(RuleContext& context) {
  std::vector<Wish> result;
  for (RoleInput& input : context.roles) {
    if (!input.role->trains) continue;
    const auto request = context.placement_of(input).topology;
    if (!request) continue;
    auto same = std::ranges::find_if(
        result, [&](const Wish& known) { return known.request.span == request.span; });
    if (same == result.end()) same = result.insert(result.end(), Wish{request, {}, {}, {}});
    same->inputs.push_back(&input);
  }
  return result;
}

constexpr std::string_view kPodSet = "kueue.x-k8s.io/podset-";

/// Takes what `pod` says of topology into the plan; whether it says anything.
bool takes_own_request(RuleContext& context, Role& role, const Shape& pod) {
  if (!pod) return false;
  bool found = false;
  const View own(context.tree_of(pod.span), pod.node);
  const View annotations = own["metadata"]["annotations"];
  if (!annotations || !annotations->is_map()) return false;
  for (NodeId id : annotations.tree().children(annotations.id())) {
    const View each(annotations.tree(), id);
    if (!each->key.starts_with(kPodSet)) continue;
    context.add(role.pod_annotations, each->key, each.text(), context.from(each->span));
    found = true;
  }
  return found;
}

/// Whether the flavors of the job's queue are those of the Cluster's own build.
bool makes_flavors(const RuleContext& context) {
  if (context.in.cluster == nullptr || !context.plan.queue) return false;
  return std::ranges::any_of(*context.in.cluster->spec->queues, [&](const auto& queue) {
    return *queue->name == *context.plan.queue && !queue->existing.value_or(false);
  });
}

/// A flavor with a topology takes no pods that ask for none, unless every flavor of the queue has
/// one (kubernetes-sigs/kueue pkg/scheduler/flavorassigner/tas_flavorassigner.go, as of 0.11).
void ask_for_any_node(RuleContext& context) {
  const Text installed = operator_version(*context.in.cluster, Operator::Kueue);
  const auto has = installed ? release(*installed) : std::nullopt;
  if (has && *has < *release("0.11")) return;
  for (RoleInput& input : context.roles) {
    Role& role = *input.role;
    const auto asks = [](const NamedValue& each) { return each.name.starts_with(kPodSet); };
    if (input.nodes.pool == nullptr || std::ranges::any_of(role.pod_annotations, asks)) continue;
    const bool by_role = input.own != nullptr && takes_own_request(context, role, input.own->pod);
    if (by_role || takes_own_request(context, role, context.spec.pod)) continue;
    if (levels_of(context, input).empty()) continue;
    const Pool& pool = **input.nodes.pool;
    context.add(
        role.pod_annotations, context.text(kPodSet, "unconstrained-topology"), "true",
        context.because({context.from(pool.topology ? pool.topology.span : pool.name.span)}));
  }
}

void run(RuleContext& context) {
  std::vector<Wish> wanted = wishes(context);
  const auto training = std::ranges::count_if(
      context.roles, [](const RoleInput& input) { return input.role->trains; });
  const TargetFacts& target = *context.in.target;
  const Queueing* how = context.plan.system ? target.queueing_by(*context.plan.system) : nullptr;
  for (Wish& wish : wanted) {
    const bool job_wide = static_cast<std::ptrdiff_t>(wish.inputs.size()) == training;
    Near near(context, how, job_wide);
    if (!near.resolve(wish)) continue;
    if (!wish.request->exclusive.value_or(false)) {
      near.apply(wish);
    } else if (!target.exclusive_topology.empty()) {
      keep_for_itself(context, wish);
    }
  }
  const bool by_pods = how != nullptr && how->topology == TopologyWay::Pods && target.pod_template;
  if (by_pods && makes_flavors(context)) ask_for_any_node(context);
}

}  // namespace

extern const Rule topology_rule{
    "topology",
    Rule::Phase::Infer,
    "The pods of a job stay in one part of the cluster, by what its queueing system has for that, "
    "else by affinity to the job's own pods.",
    "Kueue reads a level from the pods' annotations (kubernetes-sigs/kueue "
    "pkg/controller/jobframework/tas.go), and pods without any get no node of a flavor with a "
    "topology beside flavors without (pkg/scheduler/flavorassigner/tas_flavorassigner.go); Volcano "
    "from the group (volcano-sh/apis "
    "pkg/apis/scheduling/v1beta1/types.go), KAI from the object that owns the pods; a JobSet alone "
    "keeps others out of a domain (kubernetes-sigs/jobset pkg/webhooks/pod_webhook.go).",
    "spec.placement role.nodes role.trains role.replicas cluster.pools cluster.operators "
    "plan.system plan.queue plan.gang plan.selector role.affinity plan.workloadAnnotations "
    "spec.pod cluster.queues.name cluster.queues.existing "
    "target.exclusiveTopology target.queueing target.runtimes target.pod target.lacking",
    "plan.topology plan.runtimeAnnotations plan.workloadLabels plan.workloadAnnotations plan.runai "
    "role.podAnnotations role.podLabels role.runs role.runPods role.runTier role.affinity",
    run};

}  // namespace trainyard
