// Whether pods on machines with a fast fabric would use it.

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "check/check.h"
#include "diag/words.h"
#include "lints/gang/collective_start.h"
#include "lints/scripts/exported_value.h"
#include "lints/tables.h"
#include "manifest/fabric_features.h"
#include "manifest/launch.h"
#include "manifest/node_pools.h"
#include "manifest/pod_security.h"
#include "shell/command_line.h"
#include "source/text_parts.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Whether the user chose TCP for NCCL, in an environment, a script or the options of `mpirun`.
bool means_tcp(const Workload& workload) {
  constexpr auto kWords = std::to_array<std::string_view>(
      {"NCCL_IB_DISABLE=1", "NCCL_NET=Socket", "NCCL_NET_PLUGIN=none", "NCCL_IB_HCA=eth"});
  return std::ranges::any_of(workload.roles, [&](const WorkloadRole& role) {
    return std::ranges::any_of(role.containers, [&](View container) {
      const auto is = [&](std::string_view name, std::string_view value) {
        return string_of(variable_value(container, name)) == value;
      };
      return is("NCCL_IB_DISABLE", "1") || is("NCCL_NET", "Socket") ||
             is("NCCL_NET_PLUGIN", "none") ||
             std::ranges::any_of(
                 kWords, [&](std::string_view word) { return contains_text(container, word); });
    });
  });
}

/// A Job of several pods may be as many jobs side by side, which do not talk at all.
bool talks(const Workload& workload, const WorkloadRole& role) {
  return is_training_kind(workload) || waits_for_all(role);
}

void fabric_not_asked_for(const Workload& workload, CheckContext& context) {
  if (workload.gpu_pods < 2 || means_tcp(workload)) return;
  for (const WorkloadRole& role : workload.roles) {
    const Devices devices = role.devices;
    if (role.is_launcher || !role.pod.spec || devices.whole == 0) continue;
    const ChosenMachine chosen = machine_of(role.pod.spec, context.cluster());
    if (chosen.machine == nullptr || devices.whole < chosen.machine->whole) continue;
    if (uses_fabric(chosen.machine->fabric, fabric_features_of(role.pod))) continue;
    const FabricWords& fabric = words_of(chosen.machine->fabric);
    Diagnostic& report =
        context.lint(chosen.at ? chosen.at : devices.at,
                     "pods on " + shown(chosen.name()) + " talk over TCP: a pod that uses " +
                         std::string(fabric.name) + " has " + std::string(fabric.needs),
                     talks(workload, role) ? Severity::Warning : Severity::Note);
    if (chosen.pool != nullptr) report.also(chosen.pool->machine.span, "the machine of their pool");
  }
}

constexpr auto kSwitches = std::to_array<std::string_view>(
    {"NCCL_NET_PLUGIN", "NCCL_NET", "NCCL_IB_DISABLE", "FI_PROVIDER"});

/// Settings that turn off the fabric for which the pod has devices.
void fabric_turned_off(const Pod& pod, CheckContext& context) {
  const bool may_be = std::ranges::any_of(pod.containers, [](const PodContainer& each) {
    const auto is_set = [&](std::string_view name) {
      return static_cast<bool>(variable(each.node, name));
    };
    return std::ranges::any_of(kSwitches, is_set) || exported_value(each.node, "NCCL_IB_DISABLE");
  });
  if (!may_be) return;
  const FabricFeatures signs = fabric_features_of(pod);
  const auto off = [&](View value, std::string_view what) {
    context.lint(value, shown(value->text) + " turns off " + std::string(what) +
                            ", for which the pod has devices");
  };
  for (const PodContainer& each : pod.containers) {
    const View container = each.node;
    const View plugin = variable_value(container, "NCCL_NET_PLUGIN");
    if (plugin && plugin->text == "none") {
      if (signs.efa) off(plugin, "the plugin of EFA");
      if (signs.gke()) off(plugin, "the plugin of the GPU network");
    }
    const View net = variable_value(container, "NCCL_NET");
    if (net && net->text == "Socket" && (signs.efa || signs.rdma || signs.gke_networks)) {
      off(net, "every fabric");
    }
    const View no_ib = variable_value(container, "NCCL_IB_DISABLE");
    if (no_ib && no_ib->text == "1" && signs.rdma && !signs.efa && !signs.gke()) {
      off(no_ib, "InfiniBand and RoCE");
    } else if (signs.rdma && !signs.efa && !signs.gke()) {
      const OptionValue exported = exported_value(container, "NCCL_IB_DISABLE");
      if (exported.text == "1") {
        context.lint(exported.at,
                     "`export NCCL_IB_DISABLE=1` turns off InfiniBand and RoCE, for which the pod "
                     "has devices");
      }
    }
    const View provider = variable_value(container, "FI_PROVIDER");
    if (provider && signs.efa && (provider->text == "tcp" || provider->text == "sockets")) {
      off(provider, "EFA");
    }
  }
}

/// The GPUs of a pod against those of its machine, whose interfaces cannot be split.
void whole_machine(const Pod& pod, CheckContext& context) {
  Devices devices;
  for (const PodContainer& each : pod.containers) {
    devices = devices + devices_of(get(each.node, "resources"));
  }
  if (devices.whole == 0) return;
  const ChosenMachine chosen = chosen_machine(pod.spec);
  const std::int64_t whole = chosen.machine != nullptr ? chosen.machine->whole : 8;
  if (devices.whole >= whole) return;
  const FabricFeatures signs = fabric_features_of(pod);
  if (!signs.gke()) return;
  const bool on_gke = chosen.machine != nullptr && words_of(chosen.machine->fabric).on_gke;
  const bool by_daemon = signs.tcpx || signs.tcpxo;
  if (!by_daemon && !on_gke) return;
  Diagnostic& report = context.lint(devices.at, "a pod with " + std::to_string(devices.whole) +
                                                    (devices.whole == 1 ? " GPU" : " GPUs") +
                                                    " on the GPU network, which takes " + "all " +
                                                    std::to_string(whole) + " of its node");
  if (chosen.machine != nullptr) report.also(context.place(chosen.at), "the machine");
}

/// GPUs of a node of machines without a fast fabric. Google Cloud accelerator-optimized machine
/// table; AWS list of instance types.
struct SmallMachine {
  std::string_view name;
  std::int64_t gpus;
};
constexpr SmallMachine kSmallMachines[] = {
    {"a2-highgpu-8g", 8}, {"a2-megagpu-16g", 16}, {"a2-ultragpu-8g", 8}, {"a3-highgpu-1g", 1},
    {"a3-highgpu-2g", 2}, {"a3-highgpu-4g", 4},   {"p5.4xlarge", 1},
};

/// The GPUs of a node by its label, and where the pod asks for it.
struct NodeGpus {
  std::int64_t number = 0;  // 0 where it is not known
  View at;
};

NodeGpus node_gpus(View pod_spec) {
  const ChosenMachine chosen = chosen_machine(pod_spec);
  if (chosen.machine != nullptr) return {chosen.machine->whole, chosen.at};
  const View type = get(get(pod_spec, "nodeSelector"), "node.kubernetes.io/instance-type");
  const auto* const small = std::ranges::find(kSmallMachines, string_of(type), &SmallMachine::name);
  return small == std::end(kSmallMachines) ? NodeGpus() : NodeGpus{small->gpus, type};
}

/// More GPUs than a node of the machine has that a pod asks for.
void gpus_of_machine(const Pod& pod, CheckContext& context) {
  Devices devices;
  for (const PodContainer& each : pod.containers) {
    if (each.role != ContainerRole::Regular) continue;
    devices = devices + devices_of(get(each.node, "resources"));
  }
  const NodeGpus node = node_gpus(pod.spec);
  if (node.number == 0 || devices.whole <= node.number) return;
  context
      .lint(devices.at, std::to_string(devices.whole) + " GPUs in one pod, and a node of " +
                            shown(string_of(node.at)) + " has " + std::to_string(node.number))
      .also(context.place(node.at), "the machine");
}

bool is_rdma_device(std::string_view name) {
  return name.starts_with("rdma/") || name == "nvidia.com/mlnxnics" || is_attached_device(name);
}

/// An amount of devices for RDMA that a container is given.
View rdma_device(View container) {
  const View resources = get(container, "resources");
  for (std::string_view list : {"limits", "requests"}) {
    for (View entry : entries_at(resources, list)) {
      if (is_rdma_device(entry.key()) && entry->text != "0") return entry;
    }
  }
  return {};
}

bool may_lock_memory(View container) {
  const View own = get(container, "securityContext");
  if (is_true(get(own, "privileged"))) return true;
  for (View added : items_at(get(own, "capabilities"), "add")) {
    for (std::string_view name : {"IPC_LOCK", "CAP_IPC_LOCK", "ALL", "SYS_RESOURCE"}) {
      if (string_of(added) == name) return true;
    }
  }
  return false;
}

void locked_memory(const Pod& pod, CheckContext& context) {
  for (const PodContainer& each : pod.containers) {
    const View device = rdma_device(each.node);
    if (!device || may_lock_memory(each.node)) continue;
    // A flag of CoreWeave, on whose nodes there is no limit.
    if (device.key() == "rdma/ib" && device->text == "1") continue;
    context.lint(device, "container " + shown(string_at(each.node, "name")) + " has " +
                             shown(device.key()) +
                             " and may not lock memory: `IPC_LOCK` is missing");
  }
}

void gke_devices(const Pod& pod, CheckContext& context) {
  constexpr std::string_view kPrefix = "devices.gke.io/container.";
  for (View entry : entries_at(pod.metadata, "annotations")) {
    if (!entry.key().starts_with(kPrefix)) continue;
    const std::string_view name = entry.key().substr(kPrefix.size());
    const bool there = std::ranges::any_of(pod.containers, [&](const PodContainer& each) {
      return string_at(each.node, "name") == name;
    });
    if (there || pod.has(kAddsContainers) || fabric_features_of(pod).injected) continue;
    context.lint(entry, "the annotation gives devices to a container " + shown(name) +
                            ", which the pod does not have");
  }
}

void gke_host_network(const Pod& pod, CheckContext& context) {
  if (!is_true(get(pod.spec, "hostNetwork"))) return;
  const View interfaces = get(get(pod.metadata, "annotations"), "networking.gke.io/interfaces");
  if (!interfaces) return;
  context
      .lint(interfaces,
            "interfaces for a pod that is on the host network, which gets none of its "
            "own")
      .also(context.place(get(pod.spec, "hostNetwork")), "on the host network");
}

/// Whether a container may have the settings of TCPXO: it names them, sources some file, or gets
/// variables from elsewhere.
bool may_have_settings(View container) {
  if (variable(container, "NCCL_FASTRAK_IFNAME") || variable(container, "BASH_ENV") ||
      has_items(get(container, "envFrom"))) {
    return true;
  }
  return std::ranges::any_of(command_words(container), [](const ShellWord& word) {
    return word.text == "." || word.text == "source" || contains(word.text, "NCCL_FASTRAK") ||
           contains(word.text, "nccl-env-profile");
  });
}

/// A launcher that is called directly, beside the daemon, without what the daemon is for.
void tcpxo_settings(const Pod& pod, CheckContext& context) {
  const bool has_daemon = std::ranges::any_of(pod.containers, [](const PodContainer& each) {
    return is_tcpxo_daemon(string_at(each.node, "image"), string_at(each.node, "name"));
  });
  if (!has_daemon) return;
  for (const PodContainer& each : pod.containers) {
    if (!get(get(get(each.node, "resources"), "limits"), "nvidia.com/gpu")) continue;
    // The program of the image comes before `args` and may source the script.
    if (!has_items(get(each.node, "command"))) continue;
    const auto call = torchrun_call(each.node);
    if (!call || may_have_settings(each.node)) continue;
    context.lint(call->at,
                 "torchrun starts beside the daemon of GPUDirect-TCPXO without NCCL's settings "
                 "for it");
  }
}

/// The path on the node that a volume of the pod is; "" for other volumes.
std::string_view host_path_of(const Pod& pod, std::string_view volume) {
  for (View each : items_at(pod.spec, "volumes")) {
    if (string_at(each, "name") == volume) return string_at(get(each, "hostPath"), "path");
  }
  return {};
}

/// The node has its libraries in /home/kubernetes/bin/nvidia/lib64; the folder that is mounted and
/// the one where it is mounted must be of one level.
void gke_library_mount(const Pod& pod, CheckContext& context) {
  constexpr std::string_view kOnNode = "/home/kubernetes/bin/nvidia";
  constexpr std::string_view kInPod = "/usr/local/nvidia";
  constexpr std::string_view kLibraries = "/lib64";
  for (const PodContainer& each : pod.containers) {
    for (View mount : items_at(each.node, "volumeMounts")) {
      std::string_view at = string_at(mount, "mountPath");
      if (!at.starts_with(kInPod) || get(mount, "subPath")) continue;
      std::string_view from = host_path_of(pod, string_at(mount, "name"));
      if (!from.starts_with(kOnNode)) continue;
      for (std::string_view* path : {&from, &at}) {
        while (path->ends_with('/')) path->remove_suffix(1);
      }
      from.remove_prefix(kOnNode.size());
      at.remove_prefix(kInPod.size());
      const bool known = (from.empty() || from == kLibraries) && (at.empty() || at == kLibraries);
      if (!known || from == at) continue;
      context.lint(get(mount, "mountPath"),
                   from.empty() ? "the libraries of the node come to stand in "
                                  "`/usr/local/nvidia/lib64/lib64`"
                                : "the libraries of the node come to stand in `/usr/local/nvidia`, "
                                  "and there is no `lib64` in it");
    }
  }
}

/// Whether something besides its mounts may give a container devices of the node: a device plugin,
/// a claim, the runtime of NVIDIA if a variable asks for it, or all of them by its privilege.
bool is_given_devices(const Pod& pod, View container) {
  if (is_privileged(container)) return true;
  const View resources = get(container, "resources");
  const bool claims = has_items(get(resources, "claims"));
  const bool plugin = std::ranges::any_of(entries_at(resources, "limits"), [](View each) {
    return each.key().find('/') != std::string_view::npos && each.key() != "nvidia.com/gpu" &&
           each.key() != "amd.com/gpu" && !each.key().starts_with("nvidia.com/mig-");
  });
  const bool annotated = std::ranges::any_of(
      entries_at(pod.metadata, "annotations"),
      [](View each) { return each.key().find("cdi.k8s.io") != std::string_view::npos; });
  return claims || plugin || annotated || variable(container, "NVIDIA_MOFED");
}

bool holds_rdma_devices(View volume) {
  constexpr std::string_view kDevices = "/dev/infiniband";
  const std::string_view path = string_at(get(volume, "hostPath"), "path");
  return path.starts_with(kDevices) &&
         (path.size() == kDevices.size() || path[kDevices.size()] == '/');
}

/// A mount brings the file of a device and not the leave to open it.
/// A device plugin lists the devices of the node, and opens none.
bool is_device_plugin(const Pod& pod) {
  return std::ranges::any_of(items_at(pod.spec, "volumes"), [](View volume) {
    const std::string_view path = string_at(get(volume, "hostPath"), "path");
    return path.starts_with("/var/lib/kubelet/device-plugins") ||
           path.starts_with("/var/lib/kubelet/plugins");
  });
}

void host_devices(const Pod& pod, CheckContext& context) {
  if (is_device_plugin(pod)) return;
  for (View volume : items_at(pod.spec, "volumes")) {
    if (!holds_rdma_devices(volume)) continue;
    const std::string_view path = string_at(get(volume, "hostPath"), "path");
    for (const PodContainer& each : pod.containers) {
      const Items mounts = items_at(each.node, "volumeMounts");
      const auto mount = std::find_if(mounts.begin(), mounts.end(), [&](View one) {
        return string_at(one, "name") == string_at(volume, "name");
      });
      if (mount == mounts.end() || is_given_devices(pod, each.node)) continue;
      context.lint(*mount, "container " + shown(string_at(each.node, "name")) + " sees " +
                               shown(path) + " of the node and may not open what is there");
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "host-devices",
     .group = CheckGroup::Fabric,
     .effect = Effect::RunsWrong,
     .sentence = "Devices for RDMA come to a container by a device plugin, or it is privileged.",
     .source =
         "opencontainers/runc libcontainer/specconv/spec_linux.go AllowedDevices; "
         "kubernetes/kubernetes pkg/kubelet/kuberuntime/kuberuntime_container.go makeDevices: "
         "mounts add none",
     .pod = host_devices,
     .severity = Severity::Warning,
     .because = "The cgroup of the container lets it open no device but those that it was given: "
                "`ibv_open_device` fails, and NCCL falls back to TCP without a word.",
     .fix = "ask for the RDMA resource of the cluster; where there is none, `privileged: true` "
            "opens all devices of the node"},
    {.name = "fabric-not-asked-for",
     .group = CheckGroup::Fabric,
     .effect = Effect::RunsWrong,
     .sentence = "Pods on machines with a fast fabric ask for it.",
     .source = "AI-Hypercomputer/cluster-toolkit examples; aws/sagemaker-hyperpod-cli issue 306; "
               "NVIDIA/aicr issue 2276",
     .workload = fabric_not_asked_for,
     .severity = Severity::Warning,
     .because = "Without its devices NCCL falls back to TCP without a word, at a tenth of the "
                "speed.",
     .fix = "add what the machine's fabric needs; a job that is meant to use TCP can turn this "
            "check off",
     .rule = "fabric-check"},
    {.name = "fabric-turned-off",
     .group = CheckGroup::Fabric,
     .effect = Effect::RunsWrong,
     .sentence = "A pod with devices of a fabric does not tell NCCL to leave it alone.",
     .source = "NVIDIA/nccl documentation, environment variables; NVIDIA/aicr recipes",
     .pod = fabric_turned_off,
     .severity = Severity::Warning,
     .because = "The devices are taken from others, and the traffic goes over TCP.",
     .fix = "leave out the variable, or do not ask for the devices",
     .rule = "fabric-check"},
    {.name = "part-of-a-machine",
     .group = CheckGroup::Fabric,
     .effect = Effect::NeverRuns,
     .sentence = "A pod on the GPU network of Google Cloud has all GPUs of its node.",
     .source = "GoogleCloudPlatform/container-engine-accelerators gpudirect-tcpxo and "
               "gpudirect-tcpx; NVIDIA/aicr docs/user",
     .pod = whole_machine,
     .severity = Severity::Warning,
     .because = "The interfaces belong to the GPUs of the whole node and cannot be divided among "
                "pods: the daemon does not start, or NCCL finds no interface.",
     .fix = "ask for all GPUs of the node, or leave the network out"},
    {.name = "gpus-of-machine",
     .group = CheckGroup::Gpu,
     .effect = Effect::NeverRuns,
     .sentence = "A pod asks for no more GPUs than a node of its machine has.",
     .source = "Google Cloud accelerator-optimized machine table; AWS, Azure, Oracle and CoreWeave "
               "lists of instance types",
     .pod = gpus_of_machine,
     .severity = Severity::Warning,
     .because = "No node can hold the pod, and it stays Pending; only where nodes share out their "
                "GPUs do they offer more of them than they have.",
     .fix = "ask for as many as a node has, and for more pods"},
    {.name = "locked-memory",
     .group = CheckGroup::Fabric,
     .effect = Effect::Risky,
     .sentence = "Containers with devices for RDMA may lock memory.",
     .source = "Azure/aks-rdma-infiniband; NVIDIA/aicr docs/user/fabric-attached-training.md; "
               "Mellanox/network-operator example",
     .pod = locked_memory,
     .severity = Severity::Note,
     .because =
         "Without it locked memory ends at the limit of the node's container runtime, 64 KiB "
         "by default, and NCCL fails after the device was granted.",
     .fix = "add `IPC_LOCK` to `securityContext.capabilities.add`; where the nodes have no such "
            "limit, turn this check off"},
    {.name = "gke-devices",
     .group = CheckGroup::Fabric,
     .effect = Effect::RunsWrong,
     .sentence = "Annotations that give devices to a container name one of the pod.",
     .source = "GoogleCloudPlatform/container-engine-accelerators gpudirect-tcpxo; annotation "
               "devices.gke.io/container.NAME",
     .pod = gke_devices,
     .severity = Severity::Warning,
     .because = "The devices then go nowhere, and the daemon finds no GPU.",
     .fix = "end the annotation's name in the name of the container"},
    {.name = "tcpxo-settings",
     .group = CheckGroup::Fabric,
     .effect = Effect::Risky,
     .sentence = "A program beside the daemon of GPUDirect-TCPXO has NCCL's settings for it.",
     .source = "GoogleCloudPlatform/container-engine-accelerators gpudirect-tcpxo; NVIDIA-NeMo/Run "
               "pull request 313 goes without",
     .pod = tcpxo_settings,
     .severity = Severity::Note,
     .because =
         "Without them NCCL falls back to TCP, or its plugin ends the job for a wrong value.",
     .fix = "source `nccl-env-profile.sh` of the node's libraries in a shell that then starts the "
            "program; an image that sets the variables can turn this check off",
     .rule = "network"},
    {.name = "gke-library-mount",
     .group = CheckGroup::Fabric,
     .effect = Effect::NeverRuns,
     .sentence = "The node's NVIDIA libraries are mounted where the loader looks for them.",
     .source = "GoogleCloudPlatform/container-engine-accelerators gpudirect-tcpxo; NVIDIA-NeMo/Run "
               "pull request 313 has it wrong",
     .pod = gke_library_mount,
     .severity = Severity::Warning,
     .because =
         "`LD_LIBRARY_PATH` is `/usr/local/nvidia/lib64` on GKE; without the libraries there "
         "the daemon and NCCL's plugin do not start.",
     .fix = "mount `/home/kubernetes/bin/nvidia` at `/usr/local/nvidia`, or its `lib64` at "
            "`/usr/local/nvidia/lib64`"},
    {.name = "gke-interfaces",
     .group = CheckGroup::Fabric,
     .effect = Effect::RunsWrong,
     .sentence = "A pod with interfaces of its own is not on the host network.",
     .source = "GoogleCloudPlatform/container-engine-accelerators gpudirect-tcpxo/best-practice.md",
     .pod = gke_host_network,
     .severity = Severity::Warning,
     .because = "A pod on the host network gets no interfaces: the annotation has no effect, or "
                "the pod is not admitted.",
     .fix = "choose one of the two"},
};

}  // namespace

const std::span<const Check> fabric_lints = kChecks;

}  // namespace trainyard
