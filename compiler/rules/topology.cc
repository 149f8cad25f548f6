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

/// Roles that want to stay in one part of the cluster, by one request of the spec.
struct NearRoles {
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

  /// Whether the request can be met at all; else why not has been said.
  bool resolve(NearRoles& kept) {
    const TopologyRequest& wanted = *kept.request;
    for (const RoleInput* input : kept.inputs) {
      const std::string_view label = known_label(context_, *input, wanted.level);
      if (label.empty()) return false;
      if (!kept.label.empty() && kept.label != label) {
        context_.report(DiagnosticKind::ConflictingValues, wanted.level.span,
                        "the nodes of this job's roles have different labels for the level " +
                            code(*wanted.level) + ": " + code(kept.label) + " and " + code(label));
        return false;
      }
      kept.label = label;
    }
    if (!wanted.slice) return true;
    kept.slice_label = known_label(context_, *kept.inputs.front(), wanted.slice->level);
    return !kept.slice_label.empty() && slices_divide(kept);
  }

  void apply(const NearRoles& kept) {
    has_slices_ = kept.request->slice.given();
    if (!context_.in.target->pod_template) return by_fields(kept);
    const TopologyWay way = how_ == nullptr ? TopologyWay::Affinity : how_->topology;
    switch (way) {
      case TopologyWay::Pods:
        return by_kueue(kept);
      case TopologyWay::Group:
      case TopologyWay::Labels:
        return by_volcano(kept, way == TopologyWay::Labels);
      case TopologyWay::Job:
      case TopologyWay::Runtime:
        return by_kai(kept, way == TopologyWay::Runtime);
      case TopologyWay::Affinity:
        return by_affinity(kept);
      case TopologyWay::None:
        return refuse(kept.request.span, "`spec.placement.topology`",
                      "its controller makes the group of the pods, and hands no level on");
    }
  }

 private:
  OriginId asked(const NearRoles& kept) const {
    return context_.because({context_.from(kept.request->level)});
  }

  bool slices_divide(const NearRoles& kept) {
    const TopologySlice& slice = *kept.request->slice;
    for (const RoleInput* input : kept.inputs) {
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
    const bool slices = has_slices_;
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

  bool no_slices(const NearRoles& kept, std::string_view because) {
    if (!kept.request->slice) return true;
    refuse(kept.request->slice.span, "`spec.placement.topology.slice`", because);
    return false;
  }

  /// For what holds for the job as a whole.
  bool one_for_all(const NearRoles& kept) {
    if (job_wide_) return true;
    refuse(kept.request.span, "`topology` of a part of the job", "it places all pods by one level");
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

  void by_kueue(const NearRoles& kept) {
    const bool grouped = kept.inputs.size() > 1;
    if (!knows(Operator::Kueue, "Kueue", grouped || kept.request->slice ? "0.14" : "0.9",
               kept.request.span, "placement by topology")) {
      return;
    }
    if (grouped && kept.is_required() && !can_be_grouped(kept)) return;
    if (grouped && !no_slices(kept, "Kueue ties roles together or cuts them, and not both")) return;
    const OriginId origin = asked(kept);
    for (RoleInput* input : kept.inputs) {
      annotate(*input, kept.is_required() ? "required-topology" : "preferred-topology", kept.label,
               origin);
      if (grouped && kept.inputs.size() == 2 && has_single(kept)) {
        annotate(*input, "group-name", "nodes", origin);
      }
      if (!kept.request->slice) continue;
      const TopologySlice& slice = *kept.request->slice;
      annotate(*input, "slice-required-topology", kept.slice_label, context_.from(slice.level));
      annotate(*input, "slice-size", context_.number(*slice.nodes), context_.from(slice.nodes));
    }
  }

  void annotate(RoleInput& input, std::string_view what, std::string_view value, OriginId origin) {
    context_.add(input.role->pod_annotations, context_.text("kueue.x-k8s.io/podset-", what), value,
                 origin);
  }

  static bool has_single(const NearRoles& kept) {
    return std::ranges::any_of(kept.inputs,
                               [](const RoleInput* input) { return *input->role->replicas == 1; });
  }

  /// Kueue places each role by itself, except a pair with a role of a single pod.
  bool can_be_grouped(const NearRoles& kept) {
    if (kept.inputs.size() == 2 && has_single(kept)) return true;
    refuse(kept.request.span, "one domain for several roles",
           "Kueue keeps two roles together at most, one of them a single pod");
    return false;
  }

  // --- Volcano: volcano-sh/apis pkg/apis/scheduling/v1beta1/types.go NetworkTopologySpec

  std::optional<std::int64_t> known_tier(const NearRoles& kept, const Text& level,
                                         std::string_view label) {
    const auto tier = level_tier(context_, *kept.inputs.front(), label);
    if (!tier) {
      context_
          .report(DiagnosticKind::MissingFact, level.span,
                  "the Cluster does not say which tier of Volcano's HyperNodes the level " +
                      code(*level) + " is")
          .note("list the levels of the pool in the Cluster, under `topology`");
    }
    return tier;
  }

  void by_volcano(const NearRoles& kept, bool by_labels) {
    if (!one_for_all(kept)) return;
    const bool has_runs = std::ranges::count(context_.in.target->lacking, kRuns) == 0;
    if (!has_runs &&
        !no_slices(kept,
                   "a group of pods that are alike has no labels to tell its slices apart; "
                   "tasks of a Volcano Job have")) {
      return;
    }
    const auto tier = known_tier(kept, kept.request->level, kept.label);
    if (!tier || (kept.request->slice && !cut_into_runs(kept))) return;
    const OriginId origin = asked(kept);
    const std::string_view mode = kept.is_required() ? "hard" : "soft";
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
    for (RoleInput* each : kept.inputs) {
      auto& annotations = each->role->pod_annotations;
      context_.add(annotations, "volcano.sh/network-topology-mode", mode, origin);
      context_.add(annotations, "volcano.sh/network-topology-highest-tier", context_.number(*tier),
                   origin);
    }
  }

  /// The controller counts the pods of a task in runs (volcano-sh/volcano
  /// pkg/controllers/job/job_controller_util.go), and the webhook wants them to come out even.
  bool cut_into_runs(const NearRoles& kept) {
    const TopologySlice& slice = *kept.request->slice;
    if (!knows(Operator::Volcano, "Volcano", "1.14", kept.request->slice.span,
               "placement by slices")) {
      return false;
    }
    const auto tier = known_tier(kept, slice.level, kept.slice_label);
    if (!tier) return false;
    for (RoleInput* input : kept.inputs) {
      const OriginId origin =
          context_.because({context_.from(slice.nodes), input->role->replicas.origin});
      context_.set(input->role->runs, *input->role->replicas / *slice.nodes, origin);
      context_.set(input->role->run_pods, *slice.nodes, context_.from(slice.nodes));
      context_.set(input->role->run_tier, *tier, context_.because({context_.from(slice.level)}));
    }
    return true;
  }

  // --- KAI: kai-scheduler/KAI-Scheduler docs/topology/README.md

  void by_kai(const NearRoles& kept, bool in_runtime) {
    if (!one_for_all(kept)) return;
    if (!no_slices(
            kept,
            "KAI cuts only the workers of a PyTorchJob into segments, and rank 0 is none of them"))
      return;
    const Located<Pool>* pool = kept.inputs.front()->nodes.pool;
    if (pool == nullptr || levels_of(context_, *kept.inputs.front()).empty()) {
      context_
          .report(DiagnosticKind::MissingFact, kept.request->level.span,
                  "KAI finds the level " + code(*kept.request->level) +
                      " in a Topology, and the Cluster does not say in which")
          .note(
              "list the levels of the job's pool in the Cluster, under `topology`: "
              "`trainyard build` makes a Topology with the pool's name of them");
      return;
    }
    if (!kai_has_level(kept)) return;
    const OriginId origin = asked(kept);
    auto& annotations =
        in_runtime ? context_.plan.runtime.annotations : context_.plan.workload_annotations;
    context_.add(annotations, "kai.scheduler/topology", *(*pool)->name,
                 context_.because({context_.from((*pool)->topology ? (*pool)->topology.span
                                                                   : (*pool)->name.span)}));
    context_.add(annotations,
                 kept.is_required() ? "kai.scheduler/topology-required-placement"
                                    : "kai.scheduler/topology-preferred-placement",
                 kept.label, origin);
  }

  /// The Topology is made of the pool's levels, down to the node.
  bool kai_has_level(const NearRoles& kept) {
    const RoleInput& input = *kept.inputs.front();
    if (kept.label == kHostNameLevel) return true;
    for (const auto& level : levels_of(context_, input)) {
      if (*level->node_label == kept.label) return true;
    }
    const Pool& pool = **input.nodes.pool;
    context_
        .report(
            DiagnosticKind::UnknownReference, kept.request->level.span,
            "the Topology of the pool " + code(*pool.name) + " has no level " + code(kept.label))
        .also(pool.topology ? pool.topology.span : pool.name.span, "its levels")
        .note("add the level to the pool's `topology`");
    return false;
  }

  // --- without any of them

  void by_affinity(const NearRoles& kept) {
    if (!no_slices(kept, "affinity between pods knows no slices")) return;
    const OriginId origin = asked(kept);
    Tree& tree = context_.tree();
    const std::vector<const Role*> roles = kept.roles();
    label_roles(context_, roles);
    for (RoleInput* input : kept.inputs) {
      const NodeId affinity = affinity_of(context_, *input->role, origin);
      const NodeId near = entry_of(tree, affinity, "podAffinity", Kind::Map, origin);
      const NodeId term = own_pods(context_, roles, kept.label, origin);
      if (kept.is_required()) {
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
  void by_fields(const NearRoles& kept) {
    if (!one_for_all(kept)) return;
    if (!no_slices(kept, "it has a field for one level")) return;
    RunaiPlan& plan = context_.plan.runai;
    context_.set(plan.affinity_topology, kept.label, asked(kept));
    context_.set(plan.affinity_rule, std::string_view(kept.is_required() ? "hard" : "soft"),
                 kept.request->mode ? context_.from(kept.request->mode)
                                    : context_.by_default("spec.placement.topology.mode"));
  }

  RuleContext& context_;
  const Queueing* how_;
  bool job_wide_;
  bool has_slices_ = false;
};

/// A domain that the job has for itself: kubernetes-sigs/jobset pkg/webhooks/pod_webhook.go.
void keep_for_itself(RuleContext& context, const NearRoles& kept) {
  const TopologyRequest& wanted = *kept.request;
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
  if (!kept.is_required()) {
    return refuse(wanted.mode.span, "`exclusive` of a preferred domain",
                  "a job that has a domain for itself waits until there is one");
  }
  if (wanted.slice) {
    return refuse(wanted.slice.span, "`slice` within an exclusive domain",
                  "its controller knows one level only");
  }
  auto& annotations = context.in.target->runtimes ? context.plan.runtime.annotations
                                                  : context.plan.workload_annotations;
  context.add(annotations, context.in.target->exclusive_topology, kept.label,
              context.from(wanted.exclusive));
}

/// What the roles that train ask for; those with the same request together. A role that only starts
/// the others runs anywhere.
std::vector<NearRoles> near_roles(RuleContext& context) {
  std::vector<NearRoles> result;
  for (RoleInput& input : context.roles) {
    if (!input.role->trains) continue;
    const auto request = context.placement_of(input).topology;
    if (!request) continue;
    auto same = std::ranges::find_if(
        result, [&](const NearRoles& known) { return known.request.span == request.span; });
    if (same == result.end()) same = result.insert(result.end(), NearRoles{request, {}, {}, {}});
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
  std::vector<NearRoles> wanted = near_roles(context);
  const auto training = std::ranges::count_if(
      context.roles, [](const RoleInput& input) { return input.role->trains; });
  const TargetFacts& target = *context.in.target;
  const Queueing* how = context.plan.system ? target.queueing_by(*context.plan.system) : nullptr;
  for (NearRoles& kept : wanted) {
    const bool job_wide = static_cast<std::ptrdiff_t>(kept.inputs.size()) == training;
    Near near(context, how, job_wide);
    if (!near.resolve(kept)) continue;
    if (!kept.request->exclusive.value_or(false)) {
      near.apply(kept);
    } else if (!target.exclusive_topology.empty()) {
      keep_for_itself(context, kept);
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
