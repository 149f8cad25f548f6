// Pods against the pools of the Cluster.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "lints/gpu_words.h"
#include "lints/node_taints.h"
#include "lints/tables.h"
#include "manifest/inventory.h"
#include "manifest/launch.h"
#include "manifest/node_pools.h"
#include "spec/cluster.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kPoolLabel = "karpenter.sh/nodepool";

/// Karpenter makes no node for a pod that would not go to it.
bool barred(View spec, View selected, View pool, CheckContext& context) {
  const View taint =
      barrier(items_at(get(get(get(pool, "spec"), "template"), "spec"), "taints"), spec);
  if (!taint) return false;
  context
      .lint(selected, "pods that do not tolerate the taint " + shown(taint_name(taint)) +
                          " of NodePool " + shown(selected->text))
      .also(context.place(taint), "the taint");
  return true;
}

/// What a requirement of the NodePool allows of a label; nothing where it leaves it open.
View requirement_against(View pool, View label) {
  const View spec = get(get(get(pool, "spec"), "template"), "spec");
  for (View each : items_at(spec, "requirements")) {
    if (string_at(each, "key") != label.key()) continue;
    const bool is_listed = std::ranges::any_of(
        items_at(each, "values"), [&](View value) { return string_of(value) == label->text; });
    const std::string_view mark = string_at(each, "operator");
    if ((mark == "In" && !is_listed) || (mark == "NotIn" && is_listed)) return each;
  }
  return {};
}

bool other_label(View selector, View selected, View pool, CheckContext& context) {
  const View labels = get(get(get(get(pool, "spec"), "template"), "metadata"), "labels");
  for (View each : Items(selector)) {
    if (each.key() == kPoolLabel || string_of(each).empty()) continue;
    const View own = get(labels, each.key());
    const View against =
        own && string_of(own) != each->text ? own : requirement_against(pool, each);
    if (!against) continue;
    context
        .lint(each, "no node of NodePool " + shown(selected->text) + " has the label " +
                        shown(std::string(each.key()) + ": " + std::string(each->text)))
        .also(context.place(against), "what its nodes have");
    return true;
  }
  return false;
}

/// The pods that run together against `limits`, at which Karpenter makes no more nodes.
void limits(const Workload& workload, const WorkloadRole& role, View selected, View pool,
            CheckContext& context) {
  const View all = get(get(pool, "spec"), "limits");
  const View most = get(all, "nvidia.com/gpu");
  const auto allowed = most ? Quantity::parse(most->text) : std::nullopt;
  const bool meet = std::ranges::any_of(role.containers, [&](View container) {
    return bool(evidence_of_peers(workload, role, container));
  });
  const Devices devices = role.devices;
  if (!allowed || devices.slices != 0 || (role.pods > 1 && !meet)) return;
  const std::int64_t wanted = devices.whole * role.pods;
  if (Quantity::of(wanted) <= *allowed) return;
  context
      .lint(selected, pods_of(role) + " take " + gpus(wanted) + ", and NodePool " +
                          shown(selected->text) + " has a limit of " + std::string(most->text))
      .also(context.place(most), "the limit");
}

/// Pods that select a NodePool of Karpenter, against what is among the inputs.
void check_karpenter_pool(const Workload& workload, CheckContext& context) {
  for (const WorkloadRole& role : workload.roles) {
    const View selector = get(role.pod.spec, "nodeSelector");
    const View selected = get(selector, kPoolLabel);
    if (string_of(selected).empty()) continue;
    const Inventory* inventory = context.inventory();
    if (inventory == nullptr || !inventory->has_any("karpenter.sh", "NodePool")) return;
    const View pool = inventory->find("karpenter.sh", "NodePool", {}, selected->text);
    if (!pool) {
      context.lint(selected, "no NodePool " + shown(selected->text) + " is among the inputs");
      continue;
    }
    if (barred(role.pod.spec, selected, pool, context)) continue;
    if (other_label(selector, selected, pool, context)) continue;
    limits(workload, role, selected, pool, context);
  }
}

View taints_of(const Pool& pool, CheckContext& context) {
  if (!pool.taints || context.cluster_tree() == nullptr) return {};
  return {*context.cluster_tree(), pool.taints.node};
}

void pool_tolerations(const Workload& workload, CheckContext& context) {
  const Cluster* cluster = context.cluster();
  if (cluster == nullptr || cluster->spec->pools->empty()) return;
  for (const WorkloadRole& role : workload.roles) {
    const Devices devices = role.devices;
    if (!role.pod.spec || devices.all() == 0) continue;
    const bool selects = std::ranges::any_of(
        *cluster->spec->pools, [&](const auto& pool) { return is_selected(*pool, role.pod.spec); });
    const Pool* pool = nullptr;
    View taint;
    bool open = false;
    for (const auto& each : *cluster->spec->pools) {
      if (!may_select(*each, role.pod.spec)) continue;
      if (selects && !is_selected(*each, role.pod.spec)) continue;
      const View found = barrier(Items(taints_of(*each, context)), role.pod.spec);
      open = open || !found;
      if (found && pool == nullptr) {
        pool = &*each;
        taint = found;
      }
    }
    if (open || pool == nullptr) continue;
    const View tolerations = get(role.pod.spec, "tolerations");
    const std::string name = taint_name(taint);
    Diagnostic& report =
        context.lint(tolerations ? tolerations : devices.at,
                     "pods with GPUs that do not tolerate the taint " + shown(name) + " of pool " +
                         shown(*pool->name) + ", so that they stay pending");
    report.also(taint->span, "the taint");
    if (string_at(taint, "key") == "nvidia.com/gpu") {
      report.note(
          "a cluster with the admission plugin ExtendedResourceToleration adds this one itself");
    }
  }
}

/// No machine of a catalogue has more; kubernetes/kubernetes
/// pkg/kubelet/lifecycle/predicate.go: a node refuses pods for which it has no devices left.
void pods_of_one_node(const Workload& workload, CheckContext& context) {
  constexpr std::int64_t kMostGpus = 16;
  for (const WorkloadRole& role : workload.roles) {
    const View name = get(role.pod.spec, "nodeName");
    if (string_of(name).empty()) continue;
    const Devices devices = role.devices;
    if (devices.whole == 0 || role.pods < 2 || devices.whole * role.pods <= kMostGpus) continue;
    context
        .lint(name, pods_of(role) + " with " + std::to_string(devices.whole) + " GPUs each are " +
                        "all to run on node " + shown(name->text))
        .also(context.place(devices.at), "the GPUs");
  }
}

constexpr Check kChecks[] = {
    {.name = "karpenter-pool",
     .group = CheckGroup::Gpu,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "Pods that select a NodePool of Karpenter can run on its nodes, and within its "
                 "limits.",
     .source = "kubernetes-sigs/karpenter pkg/controllers/provisioning/scheduling/scheduler.go; "
               "pkg/apis/v1/nodepool.go Limits",
     .workload = check_karpenter_pool,
     .severity = Severity::Warning,
     .because = "Karpenter makes no node for pods that its NodePool has no place for: they stay "
                "pending.",
     .fix = "tolerate the taints of the NodePool, select labels that its nodes have, and raise its "
            "`limits`"},
    {.name = "pods-of-one-node",
     .group = CheckGroup::Gpu,
     .effect = Effect::NeverRuns,
     .sentence = "Pods that name their node fit on it together.",
     .source = "kubernetes/kubernetes pkg/kubelet/lifecycle/predicate.go",
     .workload = pods_of_one_node,
     .severity = Severity::Warning,
     .because = "`nodeName` goes past the scheduler: the node refuses the pods for which it has no "
                "GPUs left, and they fail.",
     .fix = "leave `nodeName` out, or select nodes by their labels"},
    {.name = "pool-tolerations",
     .group = CheckGroup::Gpu,
     .effect = Effect::NeverRuns,
     .sentence = "Pods with GPUs tolerate the taints of the pools that the Cluster has for them.",
     .source = "kubernetes/kubernetes pkg/scheduler/framework/plugins/tainttoleration",
     .workload = pool_tolerations,
     .severity = Severity::Warning,
     .because = "The scheduler keeps pods away from nodes with a taint that they do not tolerate.",
     .fix = "add a toleration with the taint's key, value and effect",
     .rule = "node-selection"},
};

}  // namespace

const std::span<const Check> pool_lints = kChecks;

}  // namespace trainyard
