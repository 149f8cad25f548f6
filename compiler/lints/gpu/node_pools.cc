// Pods against the pools of the Cluster.

#include <algorithm>
#include <string>

#include "check/check.h"
#include "diag/words.h"
#include "lints/gpu/karpenter_pools.h"
#include "lints/gpu/machine_sizes.h"
#include "lints/node_taints.h"
#include "lints/tables.h"
#include "manifest/launch.h"
#include "manifest/node_pools.h"
#include "spec/cluster.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

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
    {.name = "machine-size",
     .group = CheckGroup::Gpu,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "Pods that select a machine ask for no more CPUs and memory than it has.",
     .source = "aws/karpenter-provider-aws website, reference of instance types; "
               "kubernetes/kubernetes pkg/scheduler/framework/plugins/noderesources",
     .pod = check_machine_size,
     .severity = Severity::Warning,
     .because = "No node has room for the pod, also while it is empty: it stays pending.",
     .fix = "ask for less than the machine has: the node keeps some for itself"},
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
