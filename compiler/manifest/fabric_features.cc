#include "manifest/fabric_features.h"

#include <algorithm>
#include <array>

#include "source/text_parts.h"
#include "spec/cluster.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr FabricWords kFabrics[] = {
    {NodeFabric::TcpX, "GPUDirect-TCPX",
     "the annotations of its network interfaces and the TCPX daemon", true},
    {NodeFabric::TcpXo, "GPUDirect-TCPXO",
     "the annotations of its network interfaces and devices, and the TCPXO daemon", true},
    {NodeFabric::GkeRdma, "GPUDirect RDMA",
     "the annotation of its RDMA interfaces, or a claim for them, and the gIB plugin", true},
    {NodeFabric::Efa, "EFA", "`vpc.amazonaws.com/efa` among its limits"},
    {NodeFabric::InfiniBand, "InfiniBand",
     "an `rdma/...` resource of the cluster among its limits"},
    {NodeFabric::Roce, "RoCE",
     "the RDMA resource of the cluster among its limits, or the network of the node"},
};

// Google Cloud accelerator-optimized machine table; AWS, Azure, Oracle and CoreWeave lists of
// instance types with EFA, InfiniBand and RoCE. A test compares them with templates/machines.
constexpr MachineFabric kMachines[] = {
    {"a3-highgpu-8g", NodeFabric::TcpX, 8, 4},
    {"a3-edgegpu-8g", NodeFabric::TcpX, 8, 4},
    {"a3-megagpu-8g", NodeFabric::TcpXo, 8, 8},
    {"nvidia-h100-mega-80gb", NodeFabric::TcpXo, 8, 8},
    {"a3-ultragpu-8g", NodeFabric::GkeRdma, 8, 8},
    {"nvidia-h200-141gb", NodeFabric::GkeRdma, 8, 8},
    {"a4-highgpu-8g", NodeFabric::GkeRdma, 8, 8},
    {"nvidia-b200", NodeFabric::GkeRdma, 8, 8},
    {"a4x-highgpu-4g", NodeFabric::GkeRdma, 4, 4, true},
    {"nvidia-gb200", NodeFabric::GkeRdma, 4, 4, true},
    // Its devices come by claims, and it has no other networks.
    {"a4x-maxgpu-4g-metal", NodeFabric::GkeRdma, 4, 0, true},
    {"nvidia-gb300", NodeFabric::GkeRdma, 4, 0, true},
    {"p4d.24xlarge", NodeFabric::Efa, 8, 0, false, 4},
    {"p4de.24xlarge", NodeFabric::Efa, 8, 0, false, 4},
    {"p5.48xlarge", NodeFabric::Efa, 8, 0, false, 32},
    {"p5e.48xlarge", NodeFabric::Efa, 8, 0, false, 32},
    {"p5en.48xlarge", NodeFabric::Efa, 8, 0, false, 16},
    {"p6-b200.48xlarge", NodeFabric::Efa, 8, 0, false, 8},
    {"p6-b300.48xlarge", NodeFabric::Efa, 8, 0, false, 16},
    {"p6e-gb200.36xlarge", NodeFabric::Efa, 4, 0, true},  // sources differ in how many devices
    {"ml.p4d.24xlarge", NodeFabric::Efa, 8, 0, false, 4},
    {"ml.p4de.24xlarge", NodeFabric::Efa, 8, 0, false, 4},
    {"ml.p5.48xlarge", NodeFabric::Efa, 8, 0, false, 32},
    {"ml.p5e.48xlarge", NodeFabric::Efa, 8, 0, false, 32},
    {"ml.p5en.48xlarge", NodeFabric::Efa, 8, 0, false, 16},
    {"Standard_ND96asr*", NodeFabric::InfiniBand},
    {"Standard_ND96amsr*", NodeFabric::InfiniBand},
    {"Standard_ND96isr*", NodeFabric::InfiniBand},
    {"Standard_ND128isr*", NodeFabric::InfiniBand, 4, 0, true},
    {"gd-8xa100-i128", NodeFabric::InfiniBand},
    {"gd-8xh100ib-i128", NodeFabric::InfiniBand},
    {"gd-8xh200ib-i128", NodeFabric::InfiniBand},
    {"b200-8x", NodeFabric::InfiniBand},
    {"b300-8x", NodeFabric::InfiniBand},
    {"gb200-4x", NodeFabric::InfiniBand, 4, 0, true},
    {"gb300-4x*", NodeFabric::InfiniBand, 4, 0, true},  // by region RoCE, by the same resource
    {"BM.GPU4.8", NodeFabric::Roce},
    {"BM.GPU.B4.8", NodeFabric::Roce},
    {"BM.GPU.A100-v2.8", NodeFabric::Roce},
    {"BM.GPU.H100.8", NodeFabric::Roce},
    {"BM.GPU.H200.8", NodeFabric::Roce},
    {"BM.GPU.B200.8", NodeFabric::Roce},
    {"BM.GPU.B300.8", NodeFabric::Roce},
    {"BM.GPU.MI300X.8", NodeFabric::Roce},
    {"BM.GPU.MI355X-v1.8", NodeFabric::Roce},
    {"BM.GPU.GB200*", NodeFabric::Roce, 4, 0, true},
    {"BM.GPU.GB300*", NodeFabric::Roce, 4, 0, true},
};

struct TcpxoRelease {
  std::string_view plugin;
  std::string_view daemon;
};

// GoogleCloudPlatform/container-engine-accelerators gpudirect-tcpxo/README.md, releases. A test
// compares them with templates/fabrics.
constexpr TcpxoRelease kTcpxoReleases[] = {
    {"v1.0.0", "v1.0.6-sctp"}, {"v1.0.1", "v1.0.8"},    {"v1.0.2", "v1.0.8"},
    {"v1.0.3", "v1.0.9"},      {"v1.0.4", "v1.0.10"},   {"v1.0.5", "v1.0.11"},
    {"v1.0.6", "v1.0.12"},     {"v1.0.7", "v1.0.13_1"}, {"v1.0.8-1", "v1.0.14"},
    {"v1.0.9-1", "v1.0.15"},   {"v1.0.11", "v1.0.17"},  {"v1.0.12", "v1.0.18"},
    {"v1.0.14", "v1.0.20"},    {"v1.0.15", "v1.0.21"},
};

constexpr auto kMachineLabels = std::to_array<std::string_view>(
    {"node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type",
     "cloud.google.com/gke-accelerator", "cloud.google.com/machine-family",
     "node.coreweave.cloud/type"});

void resource_signs(View resources, FabricFeatures& signs) {
  for (std::string_view list : {"limits", "requests"}) {
    for (View entry : entries_at(resources, list)) {
      const std::string_view name = entry.key();
      signs.efa = signs.efa || name == "vpc.amazonaws.com/efa";
      signs.rdma = signs.rdma || name.starts_with("rdma/") || contains(name, "mlnxnics") ||
                   contains(name, "hca") || contains(name, "sriov") || contains(name, "roce") ||
                   is_attached_device(name);
      signs.gke_networks = signs.gke_networks || name.starts_with("networking.gke.io.networks/");
    }
  }
}

}  // namespace

const FabricWords& words_of(NodeFabric fabric) {
  return kFabrics[static_cast<std::size_t>(fabric)];
}

std::string_view ChosenMachine::name() const {
  return at ? at->text : pool != nullptr ? std::string_view(*pool->machine) : std::string_view();
}

bool is_machine_label(std::string_view label) {
  return std::ranges::find(kMachineLabels, label) != kMachineLabels.end();
}

const MachineFabric* machine_with_fabric(std::string_view label_value) {
  for (const MachineFabric& each : kMachines) {
    std::string_view name = each.machine;
    const bool begins = name.ends_with('*');
    if (begins) name.remove_suffix(1);
    if (begins ? label_value.starts_with(name) : label_value == name) return &each;
  }
  return nullptr;
}

ChosenMachine chosen_machine(View pod_spec) {
  const View selector = get(pod_spec, "nodeSelector");
  for (std::string_view label : kMachineLabels) {
    const View value = get(selector, label);
    if (!value) continue;
    if (const MachineFabric* machine = machine_with_fabric(string_of(value))) {
      return {machine, value};
    }
  }
  const View required = get(get(get(pod_spec, "affinity"), "nodeAffinity"),
                            "requiredDuringSchedulingIgnoredDuringExecution");
  for (View term : items_at(required, "nodeSelectorTerms")) {
    for (View expression : items_at(term, "matchExpressions")) {
      const View values = get(expression, "values");
      if (!is_machine_label(string_at(expression, "key")) ||
          string_at(expression, "operator") != "In" || !values || values->size != 1) {
        continue;
      }
      const View only = *items_at(expression, "values").begin();
      if (const MachineFabric* machine = machine_with_fabric(string_of(only))) {
        return {machine, only};
      }
    }
  }
  return {};
}

FabricFeatures fabric_features_of(const Pod& pod) {
  FabricFeatures signs;
  for (View entry : entries_at(pod.metadata, "annotations")) {
    const std::string_view key = entry.key();
    signs.gke_networks = signs.gke_networks || key.starts_with("networking.gke.io/") ||
                         key.starts_with("devices.gke.io/");
    signs.rdma = signs.rdma || key.starts_with("k8s.v1.cni.cncf.io/networks");
    // Of the NeMo platform, whose policies add devices and variables.
    signs.injected = signs.injected || key == "nmp.nvidia.com/enable-multi-node-networking";
  }
  // Of Google's webhook that adds the daemon of a GPU network and all that belongs to it.
  signs.injected = signs.injected || get(get(pod.metadata, "labels"), "gpudirect");
  signs.host = is_true(get(pod.spec, "hostNetwork"));
  signs.claims = has_items(get(pod.spec, "resourceClaims"));
  for (const PodContainer& each : pod.containers) {
    resource_signs(get(each.node, "resources"), signs);
    const std::string_view image = string_at(each.node, "image");
    const std::string_view name = string_at(each.node, "name");
    // Both daemons are called tcpgpudmarxd-dev; their folders tell them apart.
    signs.tcpxo = signs.tcpxo || is_tcpxo_daemon(image, name);
    signs.tcpx = signs.tcpx || contains(image, "gpudirect-tcpx/") ||
                 (contains(name, "tcpx") && !contains(name, "tcpxo"));
    signs.host = signs.host || is_true(get(get(each.node, "securityContext"), "privileged"));
  }
  return signs;
}

bool uses_fabric(NodeFabric fabric, const FabricFeatures& signs) {
  if (signs.may_be_hidden()) return true;
  switch (fabric) {
    case NodeFabric::TcpX:
    case NodeFabric::TcpXo:
    case NodeFabric::GkeRdma:
      return signs.gke();
    case NodeFabric::Efa:
      return signs.efa;
    case NodeFabric::InfiniBand:
    case NodeFabric::Roce:
      return signs.rdma;
  }
  return true;
}

bool is_gpu_network_daemon(View container) {
  const std::string_view name = string_at(container, "name");
  return contains(string_at(container, "image"), "tcpgpudmarxd") || name == "tcpxo-daemon" ||
         name == "tcpx-daemon";
}

bool is_tcpxo_daemon(std::string_view image, std::string_view name) {
  return contains(image, "gpudirect-tcpxo/") || contains(image, "fastrak") ||
         contains(name, "tcpxo");
}

std::string_view tcpxo_daemon_for(std::string_view plugin) {
  for (const TcpxoRelease& each : kTcpxoReleases) {
    if (each.plugin == plugin) return each.daemon;
  }
  return {};
}

bool is_attached_device(std::string_view resource) {
  constexpr std::string_view kVendor = "nvidia.com/";
  if (!resource.starts_with(kVendor)) return false;
  resource.remove_prefix(kVendor.size());
  return std::ranges::any_of(
      std::to_array<std::string_view>({"rdma", "hostdev", "sriov", "ib", "roce"}),
      [&](std::string_view start) { return resource.starts_with(start); });
}

}  // namespace trainyard
