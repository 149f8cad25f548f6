#include "manifest/node_pools.h"

#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// What catalogues and Clusters call a fabric.
std::string_view catalogue_name(NodeFabric fabric) {
  switch (fabric) {
    case NodeFabric::TcpX:
      return "gke-tcpx";
    case NodeFabric::TcpXo:
      return "gke-tcpxo";
    case NodeFabric::GkeRdma:
      return "gke-rdma";
    case NodeFabric::Efa:
      return "aws-efa";
    case NodeFabric::InfiniBand:
      return "infiniband";
    case NodeFabric::Roce:
      return "roce";
  }
  return {};
}

/// The machine of a pool, unless the Cluster says that it has another fabric, or none.
const MachineFabric* machine_of_pool(const Pool& pool) {
  const MachineFabric* machine = pool.machine ? machine_with_fabric(*pool.machine) : nullptr;
  if (machine == nullptr) return nullptr;
  const Text& fabric = pool.network->fabric;
  return !fabric || *fabric == catalogue_name(machine->fabric) ? machine : nullptr;
}

/// Whether a pod says of nodes what the labels of no pool need to have: nothing, or what all nodes
/// of an architecture have.
bool goes_anywhere(View spec) {
  for (View entry : entries_at(spec, "nodeSelector")) {
    if (entry.key() != "kubernetes.io/os" && entry.key() != "kubernetes.io/arch") return false;
  }
  return !get(get(get(spec, "affinity"), "nodeAffinity"),
              "requiredDuringSchedulingIgnoredDuringExecution") &&
         !get(spec, "nodeName");
}

/// A pod that asks for a machine does not go to another one, even to one of no known fabric.
bool asks_for_machine(View spec) {
  for (View entry : entries_at(spec, "nodeSelector")) {
    if (is_machine_label(entry.key())) return true;
  }
  return false;
}

}  // namespace

bool may_select(const Pool& pool, View spec) {
  for (View entry : entries_at(spec, "nodeSelector")) {
    const Text* label = find(*pool.labels, entry.key());
    if (label != nullptr && **label != entry->text) return false;
  }
  return true;
}

bool is_selected(const Pool& pool, View spec) {
  for (View entry : entries_at(spec, "nodeSelector")) {
    const Text* label = find(*pool.labels, entry.key());
    if (label != nullptr && **label == entry->text) return true;
  }
  return false;
}

ChosenMachine machine_of(View pod_spec, const Cluster* cluster) {
  const ChosenMachine asked = chosen_machine(pod_spec);
  if (asked.machine != nullptr || cluster == nullptr || asks_for_machine(pod_spec)) return asked;
  bool selects = false;
  for (const auto& pool : *cluster->spec->pools) {
    selects = selects || (is_selected(*pool, pod_spec) && may_select(*pool, pod_spec));
  }
  if (!selects && !goes_anywhere(pod_spec)) return {};
  ChosenMachine found;
  for (const auto& pool : *cluster->spec->pools) {
    if (!may_select(*pool, pod_spec) || (selects && !is_selected(*pool, pod_spec))) continue;
    const MachineFabric* machine = machine_of_pool(*pool);
    if (machine == nullptr) return {};
    if (found.machine != nullptr && found.machine != machine) return {};
    if (found.machine == nullptr) found = {machine, {}, &*pool};
  }
  return found;
}

}  // namespace trainyard
