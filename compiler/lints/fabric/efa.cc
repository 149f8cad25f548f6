// The devices of EFA that pods ask for, against those of their machines.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/fabric_features.h"
#include "manifest/node_pools.h"
#include "spec/cluster.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kResource = "vpc.amazonaws.com/efa";

struct Asked {
  std::int64_t devices = 0;
  View at;
};

/// What the containers ask for; nothing where some amount is no number of devices.
std::optional<Asked> asked_for(std::span<const PodContainer> containers) {
  Asked all;
  for (const PodContainer& each : containers) {
    if (each.role == ContainerRole::Init) continue;
    const View resources = get(each.node, "resources");
    View amount = get(get(resources, "limits"), kResource);
    if (!amount) amount = get(get(resources, "requests"), kResource);
    if (!amount) continue;
    const auto quantity = Quantity::parse(amount->text);
    const auto devices = quantity ? quantity->whole_units() : std::nullopt;
    if (!devices) return std::nullopt;
    all.devices += *devices;
    if (!all.at) all.at = amount;
  }
  return all;
}

/// How many a node has: as the Cluster says of its pool, or as the machine is known.
std::int64_t on_node(const ChosenMachine& chosen) {
  if (chosen.pool != nullptr && chosen.pool->network->resources) {
    if (const auto* stated = find(*chosen.pool->network->resources, kResource)) return **stated;
  }
  return chosen.machine->efa;
}

/// The most that a device plugin has been seen to offer: those before 0.5.10 counted cards of
/// p6-b200 twice, and one card of p6-b300 is for the network of the node.
std::int64_t most_on_node(const ChosenMachine& chosen) {
  const std::string_view name = chosen.name();
  const std::int64_t odd = name.ends_with("p6-b200.48xlarge")   ? 10
                           : name.ends_with("p6-b300.48xlarge") ? 17
                                                                : 0;
  return std::max({on_node(chosen), chosen.machine->efa, odd});
}

Diagnostic& with_machine(Diagnostic& report, const ChosenMachine& chosen, CheckContext& context) {
  return report.also(chosen.pool != nullptr ? chosen.pool->machine.span : context.place(chosen.at),
                     "the machine");
}

void more_than_there_are(const Pod& pod, CheckContext& context) {
  const auto asked = asked_for(pod.containers);
  if (!asked || asked->devices == 0) return;
  const ChosenMachine chosen = machine_of(pod.spec, context.cluster());
  if (chosen.machine == nullptr || chosen.machine->efa == 0) return;
  if (asked->devices <= most_on_node(chosen)) return;
  with_machine(
      context.lint(asked->at, std::to_string(asked->devices) + " of " + shown(kResource) +
                                  ", and a node of " + shown(chosen.name()) + " has " +
                                  std::to_string(on_node(chosen)) + ": the pods stay pending"),
      chosen, context);
}

/// An old device plugin counts cards that no fabric can use, and the scheduler believes it.
void as_many_as_old_plugins_say(const Pod& pod, CheckContext& context) {
  const auto asked = asked_for(pod.containers);
  if (!asked || asked->devices == 0) return;
  const ChosenMachine chosen = machine_of(pod.spec, context.cluster());
  if (chosen.machine == nullptr || chosen.machine->efa == 0) return;
  if (!chosen.name().ends_with("p6-b200.48xlarge")) return;  // of others sources differ
  const std::int64_t there = on_node(chosen);
  if (asked->devices <= there || asked->devices > most_on_node(chosen)) return;
  with_machine(context.lint(asked->at, std::to_string(asked->devices) + " of " + shown(kResource) +
                                           ", and a node of " + shown(chosen.name()) + " has " +
                                           std::to_string(there) + " that carry data"),
               chosen, context);
}

void fewer_than_there_are(const Workload& workload, CheckContext& context) {
  if (workload.gpu_pods < 2) return;
  for (const WorkloadRole& role : workload.roles) {
    if (role.is_launcher || !role.pod.spec) continue;
    const auto asked = asked_for(role.pod.containers);
    if (!asked || asked->devices == 0) continue;
    const ChosenMachine chosen = machine_of(role.pod.spec, context.cluster());
    if (chosen.machine == nullptr || role.devices.whole < chosen.machine->whole) continue;
    // A privileged pod opens those of the node that it did not ask for.
    if (fabric_features_of(role.pod).host) continue;
    const std::int64_t there = on_node(chosen);
    // The first card may be for the network of the node alone, and is then none of them.
    if (asked->devices + 1 >= there) continue;
    with_machine(context.lint(asked->at, "pods with all GPUs of a node take " +
                                             std::to_string(asked->devices) + " of its " +
                                             std::to_string(there) + " devices of EFA"),
                 chosen, context);
  }
}

constexpr Check kChecks[] = {
    {.name = "efa-count",
     .group = CheckGroup::Fabric,
     .effect = Effect::NeverRuns,
     .sentence = "Pods ask for no more devices of EFA than a node of their machine has.",
     .source = "aws/karpenter-provider-aws website, reference of instance types; "
               "kubernetes/kubernetes pkg/scheduler/framework/plugins/noderesources",
     .pod = more_than_there_are,
     .because = "The devices of a pod are all of one node.",
     .fix = "ask for as many as the machine has",
     .rule = "fabric-check"},
    {.name = "efa-of-old-plugin",
     .group = CheckGroup::Fabric,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "Pods ask for the devices of EFA that carry data, not for all that a device "
                 "plugin has been seen to offer.",
     .source = "aws/sagemaker-hyperpod-cli issue 282; aws/karpenter-provider-aws website, "
               "reference of instance types",
     .pod = as_many_as_old_plugins_say,
     .severity = Severity::Warning,
     .because =
         "Device plugins before 0.5.10 count the cards of NVLink as well: nodes with a newer "
         "one never take the pod, and on the others NCCL fails at such a card.",
     .fix = "ask for as many as the machine has, and run device plugin 0.5.10 or newer",
     .rule = "fabric-check"},
    {.name = "efa-left-over",
     .group = CheckGroup::Fabric,
     .effect = Effect::RunsWrong,
     .sentence = "Pods with all GPUs of a node take all its devices of EFA.",
     .source = "aws/karpenter-provider-aws website, reference of instance types; "
               "awslabs/awsome-distributed-ai; awsdocs/amazon-eks-user-guide node-efa: a device is "
               "not shared by pods",
     .workload = fewer_than_there_are,
     .severity = Severity::Warning,
     .because = "NCCL talks over the devices that the pod has, so that the others, and their part "
                "of the bandwidth, have no use.",
     .fix = "ask for all of them; where the nodes were made with fewer, state it in the pool's "
            "`network.resources` of the Cluster, or turn this check off",
     .rule = "fabric-check"},
};

}  // namespace

const std::span<const Check> efa_lints = kChecks;

}  // namespace trainyard
