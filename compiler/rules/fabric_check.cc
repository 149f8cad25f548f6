#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/suggest.h"
#include "rules/fabric_use.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

/// The fabric that was most likely meant: of a known machine it is one of its own.
std::optional<std::string_view> meant_fabric(const Machine* machine, std::string_view wanted,
                                             const std::vector<std::string_view>& known) {
  const std::string word = folded(wanted);
  auto near = suggest_whole(wanted, known);
  if (word == "ib") near = "infiniband";
  if (word == "nvlink" || word == "mnnvl") near = "nvl72";
  if (word == "rdma") near.reset();  // which several are
  const bool has_own = machine != nullptr && machine->fabric && *machine->fabric != "none";
  if (!has_own || near == "auto" || near == "none") return near;
  if (machine->underlay && near == *machine->underlay) return near;
  return *machine->fabric;
}

/// An unknown fabric, most likely misspelt.
bool refuse_unknown(RuleContext& context, const RoleInput& input, const FabricUse& use) {
  if (use.fabric != nullptr || !use.asked) return false;
  const Text& wanted = context.of(input, &RoleFields::network)->fabric;
  const std::vector<std::string> names = context.in.fabrics->names();
  if (std::find(names.begin(), names.end(), *wanted) != names.end()) return false;
  Diagnostic& report = context.report(DiagnosticKind::UnknownReference, wanted.span,
                                      "there is no fabric " + code(*wanted));
  std::vector<std::string_view> known(names.begin(), names.end());
  known.insert(known.end(), {"auto", "none"});
  if (const auto near = meant_fabric(input.nodes.machine, *wanted, known)) {
    report.fix(wanted.span, std::string(*near), "did you mean " + code(*near) + "?");
  }
  report.note("`trainyard list fabrics` shows all of them");
  return true;
}

/// The whole of it, when the spec asks for what cannot be.
void refuse(RuleContext& context, const FabricUse& use, const Obstacle& obstacle) {
  Diagnostic& report =
      context.report(DiagnosticKind::FabricConstraint, obstacle.fault ? obstacle.place : use.place,
                     "the fabric " + code(use.name) + " cannot be used here: " + obstacle.reason);
  const bool elsewhere = obstacle.place.known() && obstacle.place != use.place;
  if (!obstacle.fault && elsewhere) report.also(obstacle.place, "what stands in the way");
  report.note("`fabric: none` uses TCP on the pod network");
}

/// The nodes have it and the job does without.
void warn(RuleContext& context, const RoleInput& input, const FabricUse& use,
          const std::vector<Obstacle>& obstacles) {
  const Machine* machine = input.nodes.machine;
  const std::string_view owner = machine != nullptr ? *machine->name : *(*input.nodes.pool)->name;
  const bool beneath = machine != nullptr && *machine->underlay == use.name;
  const bool above = machine != nullptr && machine->underlay && *machine->fabric == use.name;
  Diagnostic& report = context.report(
      DiagnosticKind::FabricNotUsed, use.place,
      code(owner) + " has the fabric " + code(use.name) +
          (above ? ", but this job would not use it" : ", but this job would use TCP") +
          (beneath ? " outside of its NVLink domain" : ""));
  for (const Obstacle& obstacle : obstacles) {
    if (obstacle.place.known() && obstacle.place != use.place) {
      report.also(obstacle.place, "what stands in the way");
    }
    report.note(obstacle.reason);
  }
  if (above) {
    report.note("between its nodes the job talks over " + code(*machine->underlay));
  } else {
    report.note("`network: {fabric: none}` accepts TCP");
  }
}

bool is_meant(const RefusedVariable& refused, const EnvVar& variable) {
  std::string_view name = *refused.name;
  const bool begins = name.ends_with('*');
  if (begins) name.remove_suffix(1);
  if (begins ? !variable.name.starts_with(name) : variable.name != name) return false;
  return !refused.value || (variable.is_literal() && variable.value == *refused.value);
}

/// What the job or the Cluster sets, and what the fabric cannot bear.
void check_variables(RuleContext& context, const RoleInput& input, const FabricUse& use) {
  for (const auto& refused : *use.fabric->spec->refuses) {
    for (const EnvVar& variable : input.role->env) {
      if (!is_meant(*refused, variable)) continue;
      const std::string shown = refused->value
                                    ? std::string(variable.name) + "=" + std::string(variable.value)
                                    : std::string(variable.name);
      context
          .report(DiagnosticKind::FabricConstraint, context.place(variable.origin),
                  code(shown) + " does not go with the fabric " + code(use.name) + ": " +
                      std::string(*refused->because))
          .also(use.place, "the fabric");
    }
  }
}

/// The nodes of a program on the machine of one of its roles; none for all but the first of these.
std::int64_t nodes_that_talk(const RuleContext& context, const RoleInput& input) {
  if (context.plan.programs) return *input.role->replicas;
  std::int64_t nodes = 0;
  for (const RoleInput& each : context.roles) {
    if (each.nodes.machine != input.nodes.machine || *each.role->gpus == 0) continue;
    if (nodes == 0 && &each != &input) return 0;
    nodes += *each.role->replicas;
  }
  return nodes;
}

/// A job that asks for NVLink between its nodes by name, and is larger than what that connects.
void beyond_domain(RuleContext& context, const RoleInput& input, const FabricUse& use,
                   std::int64_t nodes) {
  const Machine& machine = *input.nodes.machine;
  const std::string domain = std::to_string(*machine.nvlink_nodes);
  context
      .report(DiagnosticKind::FabricNotUsed, use.place,
              "an NVLink domain of " + code(*machine.name) + " has " + domain +
                  " nodes, and this job " + std::to_string(nodes))
      .also(context.place(input.role->replicas.origin), "how many nodes")
      .note("between domains it talks over " + code(*machine.underlay) +
            "; `placement: {topology: {slice: ...}}` keeps as many as a domain has together, and "
            "`fabric: auto` takes NVLink where it is there");
}

/// A scheduler that is not told fills nodes of any rack, and there is no NVLink between racks
/// (GoogleCloudPlatform/cluster-toolkit, awslabs/awsome-distributed-ai nccl-tests-gb200.yaml).
void check_domain(RuleContext& context, const RoleInput& input, const FabricUse& use) {
  const Machine* machine = input.nodes.machine;
  if (machine == nullptr || !machine->nvlink_nodes || *machine->fabric != use.name) return;
  const std::int64_t domain = *machine->nvlink_nodes;
  const std::int64_t nodes = nodes_that_talk(context, input);
  if (nodes == 0) return;
  if (use.asked && nodes > domain && !context.placement_of(input).topology) {
    return beyond_domain(context, input, use, nodes);
  }
  if (input.nodes.pool == nullptr || !(*input.nodes.pool)->count) return;
  const bool may_be_apart = *(*input.nodes.pool)->count > domain && nodes > 1 && nodes <= domain;
  const Placement wanted = context.placement_of(input);
  if (!may_be_apart || wanted.topology || wanted.affinity || wanted.node_selector) return;
  context
      .report(DiagnosticKind::FabricNotUsed, use.place,
              code(*machine->name) + " has NVLink within " + std::to_string(domain) +
                  " nodes, and nothing keeps the " + std::to_string(nodes) +
                  " nodes of this job together")
      .also((*input.nodes.pool)->count.span, "nodes of several such domains")
      .note(
          "between domains it talks over " + code(*machine->underlay) +
          "; `placement: {topology: {level: LEVEL}}` keeps it in one, by a level of the pool or a "
          "label of its nodes such as `nvidia.com/gpu.clique`");
}

void check(RuleContext& context, const RoleInput& input, const FabricUse& use) {
  if (refuse_unknown(context, input, use)) return;
  const std::vector<Obstacle> obstacles = obstacles_of(context, input, use);
  if (obstacles.empty()) {
    check_domain(context, input, use);
    return check_variables(context, input, use);
  }
  bool merely_absent = !use.asked;
  for (const Obstacle& obstacle : obstacles) {
    if (!use.asked && !obstacle.fault) continue;
    merely_absent = false;
    refuse(context, use, obstacle);
  }
  if (merely_absent && !is_plain_fabric(use.name)) warn(context, input, use, obstacles);
}

void run(RuleContext& context) {
  for (const RoleInput& input : context.roles) {
    for (const FabricUse& use : fabrics_of(context, input)) check(context, input, use);
  }
}

}  // namespace

extern const Rule fabric_check_rule{
    "fabric-check",
    Rule::Phase::Check,
    "No job falls back to TCP without a word, or asks for a fabric where that cannot work.",
    "NCCL falls back to sockets and says so only in its debug log; training is then several times "
    "slower.",
    "spec.network spec.gpu spec.resources cluster.network.fabrics cluster.pools.network "
    "cluster.kubernetes cluster.operators machine fabric plan.multiNode role.nodes role.gpus "
    "role.env role.replicas "
    "spec.placement cluster.pools.count",
    "",
    run};

}  // namespace trainyard
