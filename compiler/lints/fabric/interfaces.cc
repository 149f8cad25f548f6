// Network interfaces that pods ask for, and those that their settings name.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "check/check.h"
#include "diag/sink.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/fabric_features.h"
#include "source/source_map.h"
#include "spec/cluster.h"
#include "tree/json_reader.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kGkeInterfaces = "networking.gke.io/interfaces";
constexpr std::string_view kGkeDefault = "networking.gke.io/default-interface";
constexpr std::string_view kMultus = "k8s.v1.cni.cncf.io/networks";

/// What containerd and CRI-O call a pod's first interface (containerd/containerd
/// internal/cri/server/service_linux.go).
constexpr std::string_view kFirst = "eth0";

struct Interface {
  std::string name;
  std::string network;
};
using Interfaces = std::vector<Interface>;

std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else if (c != ' ' && c != '\n' && c != '\t') {
      parts.back() += c;
    }
  }
  std::erase(parts, "");
  return parts;
}

/// A list of maps in JSON, each read by two of its keys; nothing when it is none.
std::optional<Interfaces> read_list(std::string_view json, std::string_view name,
                                    std::string_view network) {
  SourceMap sources;
  Sink sink;
  const auto tree = read_json(sources, sources.add("annotation", std::string(json)), sink);
  if (!tree || !(*tree)[tree->root()].is_seq()) return std::nullopt;
  Interfaces list;
  for (View each : Items(View(*tree, tree->root()))) {
    list.push_back({std::string(string_at(each, name)), std::string(string_at(each, network))});
  }
  return list;
}

std::optional<Interfaces> gke_interfaces(View annotation) {
  return read_list(string_of(annotation), "interfaceName", "network");
}

/// `a,ns/b,c@net7` or a list in JSON; an interface without a name gets one by its place.
std::optional<Interfaces> multus_interfaces(View annotation) {
  const std::string_view text = string_of(annotation);
  Interfaces list;
  if (text.find('{') != std::string_view::npos) {
    auto read = read_list(text, "interface", "name");
    if (!read) return std::nullopt;
    list = std::move(*read);
  } else {
    for (std::string& part : parts_of(text)) {
      const std::size_t at = part.find('@');
      list.push_back({at == std::string::npos ? "" : part.substr(at + 1), part.substr(0, at)});
    }
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].name.empty()) list[i].name = "net" + std::to_string(i + 1);
  }
  return list;
}

/// Networks beside that of the pod which a fabric of GKE has, by the machine or the daemon.
std::int64_t needed_networks(const Pod& pod) {
  const ChosenMachine chosen = chosen_machine(pod.spec);
  if (chosen.machine != nullptr) return chosen.machine->nics;
  const FabricFeatures signs = fabric_features_of(pod);
  const std::string_view of_daemon = signs.tcpxo ? "a3-megagpu-8g" : "a3-highgpu-8g";
  return signs.tcpxo || signs.tcpx ? machine_with_fabric(of_daemon)->nics : 0;
}

/// The interface with the route to everywhere. GKE's network agent makes no interfaces for a pod
/// that does not name one of its list; on a network of GPUs it leads to GPUs and nowhere else.
void default_interface(const Pod& pod, View annotation, const Interfaces& list, std::int64_t needed,
                       CheckContext& context) {
  const View first = get(get(pod.metadata, "annotations"), kGkeDefault);
  if (string_of(first).empty()) {
    // A patch leaves it to the template, and on the host network there is nothing to make.
    if (pod.has(kAddsContainers) || is_true(get(pod.spec, "hostNetwork"))) return;
    context.lint(annotation, "no default interface for a pod with several: the annotation " +
                                 shown(kGkeDefault) + " is missing");
    return;
  }
  const auto named = std::ranges::find(list, first->text, &Interface::name);
  if (named == list.end()) {
    context
        .lint(first, "the default interface " + shown(first->text) + " is none of those of the pod")
        .also(context.place(annotation), "they are listed here");
  } else if (needed > 0 && !named->network.empty() && named->network != "default") {
    context
        .lint(first, "the default interface " + shown(first->text) + " is on the network " +
                         shown(named->network) + " of the GPUs; expected the one on `default`")
        .also(context.place(annotation), "the interfaces");
  }
}

void gke_list(const Pod& pod, CheckContext& context) {
  const View all = get(pod.metadata, "annotations");
  const View annotation = get(all, kGkeInterfaces);
  if (string_of(annotation).empty()) return;
  const auto list = gke_interfaces(annotation);
  if (!list) {
    context.lint(annotation, "the interfaces are no list in JSON");
    return;
  }
  if (list->empty()) return;
  for (auto each = list->begin(); each != list->end(); ++each) {
    if (each->name.empty()) continue;
    const auto same = [&](const Interface& other) { return other.name == each->name; };
    if (std::none_of(list->begin(), each, same)) continue;
    context.lint(annotation, "two interfaces are called " + shown(each->name));
    return;
  }
  const std::int64_t needed = needed_networks(pod);
  default_interface(pod, annotation, *list, needed, context);
  const auto has =
      std::ranges::count_if(*list, [](const Interface& each) { return each.network != "default"; });
  if (has == 0 || has >= needed) return;
  context.lint(annotation, std::to_string(has) + (has == 1 ? " network" : " networks") +
                               " beside that of the pod, and its GPUs have " +
                               std::to_string(needed));
}

/// A text with one of these Multus takes for JSON.
void network_list(const Pod& pod, CheckContext& context) {
  const View annotation = get(get(pod.metadata, "annotations"), kMultus);
  const std::string_view text = string_of(annotation);
  if (text.find_first_of("[{\"") == std::string_view::npos) return;
  if (read_list(text, "interface", "name")) return;
  context.lint(annotation, "the networks are no list in JSON");
}

/// An amount of devices that come as interfaces of Multus, and its container.
void attached_devices(const Pod& pod, CheckContext& context) {
  if (is_true(get(pod.spec, "hostNetwork")) || pod.has(kAddsVolumes)) return;
  const View annotation = get(get(pod.metadata, "annotations"), kMultus);
  for (const PodContainer& each : pod.containers) {
    for (View entry : entries_at(get(each.node, "resources"), "limits")) {
      if (!is_attached_device(entry.key())) continue;
      const auto amount = Quantity::parse(entry->text);
      const auto wanted = amount ? amount->whole_units() : std::nullopt;
      const auto list = annotation ? multus_interfaces(annotation) : Interfaces();
      if (!wanted || !list) continue;
      const auto has = static_cast<std::int64_t>(list->size());
      if (has >= *wanted) continue;
      // InfiniBand needs no interface: the plugin gives the pod its devices without one.
      if (!annotation && entry.key() == "nvidia.com/hostdev") continue;
      Diagnostic& report = context.lint(
          entry, std::to_string(*wanted) + " of " + shown(entry.key()) + ", and " +
                     (has == 0 ? "no network"
                               : std::to_string(has) + (has == 1 ? " network" : " networks")) +
                     " of Multus for them");
      if (annotation) report.also(context.place(annotation), "the networks");
    }
  }
}

/// The interfaces of a pod; nothing when some may come that the manifest does not show.
std::optional<Interfaces> interfaces_of(const Pod& pod, const Cluster* cluster) {
  const FabricFeatures signs = fabric_features_of(pod);
  if (is_true(get(pod.spec, "hostNetwork")) || signs.claims || signs.injected) return std::nullopt;
  const bool said = cluster != nullptr && cluster->spec->network->interface;
  const std::string_view first = said ? *cluster->spec->network->interface : kFirst;
  Interfaces all = {{"lo", ""}, {std::string(first), ""}};
  const auto add = [&](std::optional<Interfaces> more) {
    if (!more) return false;
    for (Interface& each : *more) {
      const auto same = [&](const Interface& known) { return known.name == each.name; };
      if (std::ranges::none_of(all, same)) all.push_back(std::move(each));
    }
    return true;
  };
  for (const PodContainer& each : pod.containers) {
    for (View entry : entries_at(get(each.node, "resources"), "limits")) {
      if (entry.key().starts_with("networking.gke.io.networks/")) return std::nullopt;
    }
  }
  const View annotations = get(pod.metadata, "annotations");
  if (const View gke = get(annotations, kGkeInterfaces)) {
    if (!add(gke_interfaces(gke))) return std::nullopt;
  }
  if (const View multus = get(annotations, kMultus)) {
    if (!add(multus_interfaces(multus))) return std::nullopt;
  }
  // The pod has another first interface.
  if (get(annotations, "v1.multus-cni.io/default-network")) return std::nullopt;
  return all;
}

/// Whether NCCL finds an interface: names of a list stand for beginnings, after `=` for themselves,
/// and after `^` for those that are left out (NVIDIA/nccl src/misc/socket.cc).
bool finds_for_nccl(std::string_view value, const Interfaces& all) {
  const bool left_out = value.starts_with('^');
  if (left_out) value.remove_prefix(1);
  const bool whole = value.starts_with('=');
  if (whole) value.remove_prefix(1);
  const std::vector<std::string> names = parts_of(value);
  const auto is_named = [&](const Interface& each) {
    return std::ranges::any_of(names, [&](const std::string& part) {
      const std::string name = part.substr(0, part.find(':'));
      return whole ? each.name == name : each.name.starts_with(name);
    });
  };
  if (!left_out) return std::ranges::any_of(all, is_named);
  return std::ranges::any_of(
      all, [&](const Interface& each) { return each.name != "lo" && !is_named(each); });
}

/// Gloo takes whole names (pytorch/pytorch torch/csrc/distributed/c10d/ProcessGroupGloo.cpp).
bool finds_for_gloo(std::string_view value, const Interfaces& all) {
  const std::vector<std::string> names = parts_of(value);
  return std::ranges::all_of(names, [&](const std::string& name) {
    return std::ranges::any_of(all, [&](const Interface& each) { return each.name == name; });
  });
}

struct Reader {
  std::string_view variable;
  bool (*finds)(std::string_view value, const Interfaces& all);
};
constexpr Reader kReaders[] = {{"NCCL_SOCKET_IFNAME", finds_for_nccl},
                               {"GLOO_SOCKET_IFNAME", finds_for_gloo}};

std::string listed(const Interfaces& all) {
  std::string text;
  for (const Interface& each : all) {
    if (each.name != "lo") text += (text.empty() ? "" : ", ") + shown(each.name);
  }
  return text;
}

void socket_interface(const Pod& pod, CheckContext& context) {
  if (pod.has(kAddsContainers)) return;
  std::optional<Interfaces> all;  // once there is such a variable
  for (const PodContainer& each : pod.containers) {
    for (View variable : items_at(each.node, "env")) {
      for (const Reader& reader : kReaders) {
        if (string_at(variable, "name") != reader.variable) continue;
        const View value = get(variable, "value");
        const std::string_view text = string_of(value);
        // What stands for something else is not known.
        if (text.empty() || text.find('$') != std::string_view::npos) continue;
        if (!all) all = interfaces_of(pod, context.cluster());
        if (!all) return;
        if (reader.finds(text, *all)) continue;
        context.lint(value, shown(reader.variable) + " of " + shown(text) +
                                (text.starts_with('^') ? " leaves out" : " is none of") +
                                " the interfaces of the pod: " + listed(*all));
      }
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "gke-interface-list",
     .group = CheckGroup::Fabric,
     .effect = Effect::NeverRuns,
     .sentence = "The annotation of a pod's interfaces on GKE can be read, names each once, has a "
                 "network for each device of its GPUs, and one of them is the default.",
     .source = "GoogleCloudPlatform/container-engine-accelerators gpudirect-tcpxo and "
               "gpudirect-rdma; AI-Hypercomputer/gpu-recipes writes a comma too many for nine "
               "networks; GoogleCloudPlatform/gke-networking-api apis/network/v1/annotations.go",
     .pod = gke_list,
     .severity = Severity::Warning,
     .because = "The pod does not get its interfaces, and NCCL's plugin ends the job or talks over "
                "fewer devices than there are.",
     .fix = "list `eth0` on `default` and one interface for each network of the GPUs, and name "
            "`eth0` in `networking.gke.io/default-interface`"},
    {.name = "network-list",
     .group = CheckGroup::Fabric,
     .effect = Effect::NeverRuns,
     .sentence = "The annotation of a pod's networks of Multus can be read.",
     .source = "k8snetworkplumbingwg/multus-cni pkg/k8sclient/k8sclient.go "
               "parsePodNetworkAnnotation",
     .pod = network_list,
     .because = "Multus fails to set up the network of the pod: it stays in ContainerCreating.",
     .fix = "write a list of maps in JSON, or names with commas between"},
    {.name = "attached-devices",
     .group = CheckGroup::Fabric,
     .effect = Effect::RunsWrong,
     .sentence = "Devices that come as interfaces of Multus have a network each.",
     .source = "Mellanox/network-operator example; oracle-quickstart/oci-hpc-oke "
               "docs/using-rdma-network-interfaces-in-manifests.md",
     .pod = attached_devices,
     .severity = Severity::Warning,
     .because = "A device without a network comes with no interface, so that RDMA finds no address "
                "on it.",
     .fix = "name the network in `k8s.v1.cni.cncf.io/networks` once for each device",
     .rule = "fabric-check"},
    {.name = "socket-interface",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "Variables that choose the interface for sockets name one of the pod.",
     .source = "NVIDIA/nccl src/misc/socket.cc; pytorch/pytorch "
               "torch/csrc/distributed/c10d/ProcessGroupGloo.cpp",
     .pod = socket_interface,
     .severity = Severity::Warning,
     .because = "The ranks find no interface to meet on and fail; NCCL takes no other one. Pods "
                "have `eth0`, whatever their node has.",
     .fix = "write `eth0`, or leave the variable out; where pods get other interfaces, turn this "
            "check off",
     .rule = "network"},
};

}  // namespace

const std::span<const Check> interface_lints = kChecks;

}  // namespace trainyard
