#pragma once

#include <cstdint>
#include <string_view>

#include "manifest/pod.h"
#include "tree/tree.h"

namespace trainyard {

// By what one sees which network fabric pods of a foreign manifest are for, and which they have.

enum class NodeFabric : std::uint8_t { TcpX, TcpXo, GkeRdma, Efa, InfiniBand, Roce };

struct FabricWords {
  NodeFabric fabric;
  std::string_view name;
  std::string_view needs;  // what a pod carries that uses it
  bool on_gke = false;
};

const FabricWords& words_of(NodeFabric fabric);

/// A machine that has a fabric, by the value of a node label.
struct MachineFabric {
  std::string_view machine;  // ends with `*` for a beginning
  NodeFabric fabric;
  std::int64_t whole = 8;  // GPUs of a node, which has the fabric only as a whole
  std::int64_t nics = 0;   // of GKE: networks that its pods are on for it; 0 where none is needed
  bool arm = false;        // whether its CPUs are of arm64
  std::int64_t efa = 0;    // devices of EFA that a node has; 0 for none and where it is not known
};

/// The machine that a node label stands for; null when it has no fabric that is known.
const MachineFabric* machine_with_fabric(std::string_view label_value);

struct Pool;

struct ChosenMachine {
  const MachineFabric* machine = nullptr;
  View at;                     // where the pod says so
  const Pool* pool = nullptr;  // of the Cluster, which says so where the pod does not

  /// The name by which it was found.
  std::string_view name() const;
};

/// The machine that a pod asks for: by its node selector, or by the only value of a required term.
ChosenMachine chosen_machine(View pod_spec);

/// The labels of nodes whose value is the machine.
bool is_machine_label(std::string_view label);

/// What a pod carries of the fabrics.
struct FabricFeatures {
  bool efa = false;
  bool rdma = false;          // an RDMA resource of some cluster
  bool gke_networks = false;  // annotations of GKE for more interfaces or devices
  bool tcpx = false;          // its daemon
  bool tcpxo = false;
  bool claims = false;    // devices may come by a claim
  bool host = false;      // host network or a privileged container: it sees what the node has
  bool injected = false;  // asks for an admission policy that adds the parts

  bool gke() const { return gke_networks || tcpx || tcpxo; }
  /// May come by something that the manifest does not show.
  bool may_be_hidden() const { return claims || host || injected; }
  bool any() const { return efa || rdma || gke() || may_be_hidden(); }
};

FabricFeatures fabric_features_of(const Pod& pod);

/// Whether a pod with these signs may use the fabric.
bool uses_fabric(NodeFabric fabric, const FabricFeatures& signs);

/// Whether a container is the daemon of GPUDirect-TCPX or GPUDirect-TCPXO, and nothing else of
/// them: their images for nodes and for tests lie in the same folder.
bool is_gpu_network_daemon(View container);

/// Whether a container is the daemon of GPUDirect-TCPXO.
bool is_tcpxo_daemon(std::string_view image, std::string_view name);

/// The tag of the daemon that was released with this version of the plugin of GPUDirect-TCPXO; ""
/// for one that is not known.
std::string_view tcpxo_daemon_for(std::string_view plugin);

/// A resource whose amount is the number of network devices that a pod gets as interfaces of
/// Multus, one for each entry of the annotation.
bool is_attached_device(std::string_view resource);

}  // namespace trainyard
