#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include "rules/gpu_offer.h"
#include "rules/rule.h"
#include "rules/rule_context.h"
#include "rules/tolerated_taints.h"
#include "source/characters.h"

namespace trainyard {
namespace {

/// A machine's labels are those of its whole, unshared GPUs.
void add_machine_labels(RuleContext& context, const RoleInput& input) {
  for (const auto& label : *input.nodes.machine->node_selector) {
    const OriginId origin = context.from(label.value);
    if (label.key != kProductLabel) {
      context.add(input.role->node_selector, label.key, *label.value, origin);
      continue;
    }
    const std::string product = product_label(context, input, *label.value);
    context.add(input.role->node_selector, label.key, context.text(product),
                product == *label.value ? origin : context.because({origin}));
  }
}

/// What the cloud of the machine does to all its nodes with GPUs. An admission plugin tolerates
/// that for pods that request GPUs as a resource, and for no others (kubernetes/kubernetes
/// plugin/pkg/admission/extendedresourcetoleration/admission.go): not for those that claim them,
/// nor for a launcher or the head of a Ray cluster, which would wait for ever.
void tolerate_cloud(RuleContext& context, Role& role, const MachineSpec* cloud) {
  const bool requests = role.gpus && *role.gpus > 0 && !role.gpu_class;
  if (cloud != nullptr && !requests) tolerate_all(context, role, cloud->taints);
}

void select_capacity(RuleContext& context, const RoleInput& input, const MachineSpec* cloud) {
  if (input.nodes.pool == nullptr) return;
  const Pool& pool = **input.nodes.pool;
  const MachineCapacity* marks = marks_of(cloud, pool);
  if (marks == nullptr) return;
  Role& role = *input.role;
  tolerate_all(context, role, marks->taints);
  if (pool.labels) return;  // they say which nodes they are
  for (const auto& label : *marks->labels) {
    context.add(role.node_selector, label.key, *label.value,
                context.because({context.from(pool.capacity), context.from(label.value)}));
  }
  if (pool.reservation && marks->reservation_label) {
    context.add(role.node_selector, *marks->reservation_label, *pool.reservation,
                context.from(pool.reservation));
  }
}

/// Whether a text is the name of a cloud's region: `us-east-1` of AWS, `us-central1` of GCP. Their
/// zones end with a letter (kubernetes/website reference/labels-annotations-taints: zone).
bool is_region(std::string_view text) {
  constexpr auto kDirections =
      std::to_array<std::string_view>({"north", "south", "east", "west", "central", "northeast",
                                       "northwest", "southeast", "southwest"});
  const std::size_t digits =
      text.size() -
      static_cast<std::size_t>(std::distance(
          text.rbegin(), std::ranges::find_if_not(text.rbegin(), text.rend(), is_digit)));
  if (digits == 0 || digits == text.size()) return false;
  std::string_view name = text.substr(0, digits);
  if (name.ends_with('-')) name.remove_suffix(1);
  const std::size_t dash = name.rfind('-');
  return dash != name.npos &&
         std::ranges::find(kDirections, name.substr(dash + 1)) != kDirections.end();
}

void check_zone(RuleContext& context, const Text& zone) {
  const auto has = [&](const Located<Pool>& pool) { return pool->zone && *pool->zone == *zone; };
  const bool is_known =
      context.in.cluster != nullptr && std::ranges::any_of(*context.in.cluster->spec->pools, has);
  if (is_known || !is_region(*zone)) return;
  context
      .report(DiagnosticKind::RunsWrong, zone.span,
              code(*zone) + " is a region, and no node has it as its zone: the pods stay Pending")
      .note("name a zone, such as " +
            code(std::string(*zone) + (zone->find_last_of('-') + 2 == zone->size() ? "a" : "-a")) +
            ", or `topology.kubernetes.io/region` in `placement.nodeSelector`");
}

void select_nodes(RuleContext& context, const RoleInput& input) {
  Role& role = *input.role;
  const Placement wanted = context.placement_of(input);
  if (input.nodes.pool != nullptr) {
    // A pool's own labels say more than what every machine of its type has.
    const Pool& pool = **input.nodes.pool;
    context.add_all(role.node_selector, pool.labels);
    tolerate_all(context, role, pool.taints);
    if (pool.zone && !wanted.zone) {
      context.add(role.node_selector, "topology.kubernetes.io/zone", *pool.zone,
                  context.from(pool.zone));
    }
  }
  if (input.nodes.machine != nullptr) {
    const bool labelled = input.nodes.pool != nullptr && (*input.nodes.pool)->labels;
    if (!labelled) add_machine_labels(context, input);
    tolerate_all(context, role, input.nodes.machine->taints);
    const MachineSpec* cloud = context.in.machines->catalogue(input.nodes.machine->name.span.file);
    tolerate_cloud(context, role, cloud);
    select_capacity(context, input, cloud);
  }
  context.add_all(role.node_selector, wanted.node_selector);
  if (wanted.zone) {
    check_zone(context, wanted.zone);
    context.add(role.node_selector, "topology.kubernetes.io/zone", *wanted.zone,
                context.from(wanted.zone));
  }
  for (const Fragment& toleration : context.shapes(wanted.tolerations)) {
    if (same_toleration(context.tree(), role.tolerations, *toleration)) continue;
    role.tolerations.push_back(toleration);
  }
}

void run(RuleContext& context) {
  for (RoleInput& input : context.roles) {
    select_nodes(context, input);
    const Placement wanted = context.placement_of(input);
    if (wanted.affinity) {
      context.set(input.role->affinity, context.shape(wanted.affinity),
                  context.from(wanted.affinity));
    }
    if (wanted.topology_spread_constraints) {
      context.set(input.role->spread, context.shape(wanted.topology_spread_constraints),
                  context.from(wanted.topology_spread_constraints));
    }
  }
}

}  // namespace

extern const Rule node_selection_rule{
    "node-selection",
    Rule::Phase::Infer,
    "Pods land on the nodes of their pool or machine and tolerate the taints those have.",
    "GPU pools are tainted nearly everywhere; a pod without the toleration stays Pending.",
    "spec.placement spec.gpu role.nodes cluster.pools cluster.gpu.migStrategy cluster.gpu.sharing "
    "machine.nodeSelector "
    "machine.taints role.gpus role.gpuClass",
    "role.nodeSelector role.tolerations role.affinity role.spread",
    run};

}  // namespace trainyard
