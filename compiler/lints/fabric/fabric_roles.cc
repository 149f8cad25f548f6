// Parts of a network fabric in pods that have no GPUs.

#include <string>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/fabric_features.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

struct Part {
  View at;
  std::string what;
};

bool is_fabric_device(std::string_view name) {
  return name == "vpc.amazonaws.com/efa" || name.starts_with("rdma/") ||
         name == "nvidia.com/mlnxnics" || name.starts_with("networking.gke.io.networks/") ||
         is_attached_device(name);
}

/// What the pods have of a fabric; an empty view for nothing.
Part part_of(const WorkloadRole& role) {
  for (const PodContainer& each : role.pod.containers) {
    const View resources = get(each.node, "resources");
    for (std::string_view list : {"limits", "requests"}) {
      for (View entry : entries_at(resources, list)) {
        if (!is_fabric_device(entry.key()) || entry->text == "0") continue;
        return {entry, "take " + shown(entry.key())};
      }
    }
    const View name = get(each.node, "name");
    if (is_tcpxo_daemon(string_at(each.node, "image"), string_of(name))) {
      return {name ? name : each.node, "run the daemon of GPUDirect-TCPXO"};
    }
  }
  const View annotations = get(role.pod.metadata, "annotations");
  if (const View interfaces = get(annotations, "networking.gke.io/interfaces")) {
    return {interfaces, "are on the networks of the GPUs"};
  }
  return {};
}

void fabric_without_gpus(const Workload& workload, CheckContext& context) {
  if (workload.gpu_pods == 0) return;
  for (const WorkloadRole& role : workload.roles) {
    if (!role.pod.spec || role.devices.all() != 0) continue;
    // GPUs may come by a claim, too.
    if (has_items(get(role.pod.spec, "resourceClaims"))) continue;
    const Part part = part_of(role);
    if (!part.at) continue;
    const std::string pods =
        role.name.empty() ? std::string("pods") : "the pods of " + shown(role.name);
    context.lint(part.at, pods + " have no GPU and " + part.what);
  }
}

constexpr Check kChecks[] = {
    {.name = "fabric-without-gpus",
     .group = CheckGroup::Fabric,
     .effect = Effect::NeverRuns,
     .sentence = "Launchers and other pods without GPUs leave the network fabric to those with.",
     .source = "kubeflow/mpi-operator examples; awslabs/awsome-distributed-ai nccl-tests; "
               "NVIDIA/aicr docs/user",
     .workload = fabric_without_gpus,
     .severity = Severity::Warning,
     .because = "Its devices are counted, and as many as the nodes have for their GPUs: the pods "
                "that train find none left, or a launcher waits for a node with such devices.",
     .fix = "leave the fabric's resources, annotations and daemon out of this template"},
};

}  // namespace

const std::span<const Check> fabric_role_lints = kChecks;

}  // namespace trainyard
