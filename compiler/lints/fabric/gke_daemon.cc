// The daemon of GPUDirect-TCPX and GPUDirect-TCPXO, and what it needs of its pod.

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/fabric_features.h"
#include "manifest/mounted_files.h"
#include "manifest/pod_security.h"
#include "shell/command_line.h"
#include "source/text_parts.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kDevices = "devices.gke.io/container.";
constexpr std::string_view kInterfaces = "networking.gke.io/interfaces";

/// More of the pod comes later, or all of it from elsewhere.
bool is_partial(const Pod& pod) {
  return pod.has(kAddsContainers) || pod.has(kAddsVolumes) || fabric_features_of(pod).injected;
}

bool is_tcpxo(View container) {
  return is_tcpxo_daemon(string_at(container, "image"), string_at(container, "name"));
}

std::string daemon_name(View container) {
  return std::string("the daemon of ") +
         std::string(words_of(is_tcpxo(container) ? NodeFabric::TcpXo : NodeFabric::TcpX).name);
}

View place_of(View container) {
  const View name = get(container, "name");
  return name ? name : container;
}

/// Daemons of a pod that is written out.
std::vector<View> daemons(const Pod& pod) {
  std::vector<View> found;
  for (const PodContainer& each : pod.containers) {
    if (is_gpu_network_daemon(each.node)) found.push_back(each.node);
  }
  if (!found.empty() && is_partial(pod)) found.clear();
  return found;
}

/// On the host network it sees the devices of the node without; a privileged one sees more.
void mounts(const Pod& pod, CheckContext& context) {
  if (is_true(get(pod.spec, "hostNetwork"))) return;
  for (View daemon : daemons(pod)) {
    if (!is_tcpxo(daemon) || is_privileged(daemon)) continue;
    if (!is_mounted(daemon, "/hostsysfs")) {
      context.lint(place_of(daemon), daemon_name(daemon) +
                                         " does not see the GPUs of its node: `/sys` is not "
                                         "mounted at `/hostsysfs`");
    } else if (!is_mounted(daemon, "/hostprocsysfs")) {
      context.lint(place_of(daemon), daemon_name(daemon) +
                                         " cannot tune the network: `/proc/sys` is not mounted at "
                                         "`/hostprocsysfs`");
    }
  }
}

/// Whether a list of devices has this one: the text, and no longer name.
bool lists(std::string_view devices, std::string_view path) {
  for (std::size_t at = devices.find(path); at != devices.npos; at = devices.find(path, at + 1)) {
    const std::size_t end = at + path.size();
    const char next = end < devices.size() ? devices[end] : ' ';
    const bool goes_on = (next >= '0' && next <= '9') || (next >= 'a' && next <= 'z') ||
                         next == '-' || next == '_' || next == '/';
    if (!goes_on) return true;
  }
  return false;
}

std::vector<std::string> needed_devices(View daemon) {
  std::vector<std::string> needed;
  if (!contains_text(daemon, "num_gpus_to_use")) {
    for (int i = 0; i < 8; ++i) needed.push_back("/dev/nvidia" + std::to_string(i));
  }
  needed.insert(needed.end(), {"/dev/nvidiactl", "/dev/nvidia-uvm"});
  if (is_tcpxo(daemon)) needed.emplace_back("/dev/dmabuf_import_helper");
  return needed;
}

/// The devices of the annotation; more than what it lists where that is filled in later.
void listed_devices(View annotation, View daemon, CheckContext& context) {
  const std::string_view text = string_of(annotation);
  if (text.find_first_of("*$<") != text.npos || !contains(text, "/dev/")) return;
  std::vector<std::string> missing;
  for (std::string& device : needed_devices(daemon)) {
    if (!lists(text, device)) missing.push_back(std::move(device));
  }
  if (missing.empty()) return;
  std::string message = daemon_name(daemon) + " is not given " + shown(missing.front());
  if (missing.size() > 1) {
    message += " and " + std::to_string(missing.size() - 1) +
               (missing.size() == 2 ? " other device" : " other devices");
  }
  context.lint(annotation, message);
}

void devices(const Pod& pod, CheckContext& context) {
  const View annotations = get(pod.metadata, "annotations");
  for (View daemon : daemons(pod)) {
    const View resources = get(daemon, "resources");
    if (is_privileged(daemon) || has_items(get(resources, "claims"))) continue;
    const std::string key = std::string(kDevices) + std::string(string_at(daemon, "name"));
    if (const View annotation = get(annotations, key)) {
      listed_devices(annotation, daemon, context);
      continue;
    }
    // Another finding reports one that lacks its container.
    const Items all = entries_at(pod.metadata, "annotations");
    const bool other = std::any_of(all.begin(), all.end(),
                                   [](View each) { return each.key().starts_with(kDevices); });
    if (other || devices_of(resources).all() > 0) continue;
    context.lint(place_of(daemon), daemon_name(daemon) + " is given no devices: the annotation " +
                                       shown(key) + " is missing");
  }
}

void capabilities(const Pod& pod, CheckContext& context) {
  for (View daemon : daemons(pod)) {
    const View own = get(daemon, "securityContext");
    if (is_privileged(daemon)) continue;
    bool has = false;
    for (View added : items_at(get(own, "capabilities"), "add")) {
      for (std::string_view name : {"NET_ADMIN", "CAP_NET_ADMIN", "ALL", "CAP_ALL"}) {
        has = has || string_of(added) == name;
      }
    }
    if (has) continue;
    const View added = get(get(own, "capabilities"), "add");
    context.lint(added ? added : place_of(daemon),
                 daemon_name(daemon) + " may not set up the interfaces: `NET_ADMIN` is missing");
  }
}

void gpus(const Pod& pod, CheckContext& context) {
  for (View daemon : daemons(pod)) {
    const Devices taken = devices_of(get(daemon, "resources"));
    if (taken.all() == 0) continue;
    context.lint(taken.at, daemon_name(daemon) + " takes " + std::to_string(taken.all()) +
                               (taken.all() == 1 ? " GPU" : " GPUs") +
                               " from the program beside it");
  }
}

/// `[]`, over lines or not.
bool is_empty_list(std::string_view text) {
  return text.find('[') != text.npos && text.find_first_not_of("[] \t\r\n") == text.npos;
}

void interfaces(const Pod& pod, CheckContext& context) {
  if (is_true(get(pod.spec, "hostNetwork")) || has_items(get(pod.spec, "resourceClaims"))) return;
  const View listed = get(get(pod.metadata, "annotations"), kInterfaces);
  if (listed && !is_empty_list(string_of(listed))) return;
  const bool elsewhere = std::ranges::any_of(pod.containers, [](const PodContainer& each) {
    return std::ranges::any_of(entries_at(get(each.node, "resources"), "limits"), [](View entry) {
      return entry.key().starts_with("networking.gke.io.networks/");
    });
  });
  if (elsewhere) return;
  for (View daemon : daemons(pod)) {
    context.lint(listed ? listed : place_of(daemon),
                 daemon_name(daemon) + " in a pod that is not on the networks of the GPUs: " +
                     (listed ? "the list in annotation " + shown(kInterfaces) + " is empty"
                             : "there is no annotation " + shown(kInterfaces)));
  }
}

/// What only a program beside the daemon of GPUDirect-TCPXO has.
View sign_of_tcpxo(View container) {
  for (View variable : items_at(container, "env")) {
    const View name = get(variable, "name");
    if (string_of(name).starts_with("NCCL_FASTRAK_")) return name;
  }
  for (std::string_view field : {"command", "args"}) {
    for (View argument : items_at(container, field)) {
      if (contains(argument->text, "nccl-env-profile")) return argument;
    }
  }
  return {};
}

/// The settings are there, and so are the interfaces.
void missing_daemon(const Pod& pod, CheckContext& context) {
  if (!get(get(pod.metadata, "annotations"), kInterfaces) || is_partial(pod)) return;
  const FabricFeatures signs = fabric_features_of(pod);
  if (signs.tcpx || signs.tcpxo || signs.may_be_hidden()) return;
  for (const PodContainer& each : pod.containers) {
    if (devices_of(get(each.node, "resources")).whole == 0) continue;
    const View sign = sign_of_tcpxo(each.node);
    if (!sign) continue;
    context.lint(sign, "container " + shown(string_at(each.node, "name")) +
                           " is set up for GPUDirect-TCPXO, and the pod does not have its daemon");
    return;
  }
}

constexpr Check kChecks[] = {
    {.name = "gke-daemon-mounts",
     .group = CheckGroup::Fabric,
     .effect = Effect::NeverRuns,
     .sentence = "The daemon of GPUDirect-TCPXO sees what its node has.",
     .source = "NVIDIA/aicr docs/integrator/gke-tcpxo-networking.md, RxDM detects 0/8 GPUs; "
               "google/nccl-plugin-gpudirect-tcpxo scripts/kernel_tuning.sh",
     .pod = mounts,
     .severity = Severity::Warning,
     .because = "In a network of its own the pod has another `/sys` than the node, in which the "
                "daemon finds 0 of 8 GPUs, and may not write what it sets of the kernel.",
     .fix = "mount the node's `/sys` at `/hostsysfs` and its `/proc/sys` at `/hostprocsysfs` of "
            "the daemon"},
    {.name = "gke-daemon-devices",
     .group = CheckGroup::Fabric,
     .effect = Effect::NeverRuns,
     .sentence = "The daemon of a GPU network on GKE is given the devices of all GPUs.",
     .source = "GoogleCloudPlatform/container-engine-accelerators "
               "gpudirect-tcpxo/nccl-test-latest.yaml, gpudirect-tcpx/nccl-test-latest.yaml and "
               "nri_device_injector",
     .pod = devices,
     .severity = Severity::Warning,
     .because = "A daemon that asks for no GPUs is given their devices by this annotation. Without "
                "them it ends, at times with exit code 0, and NCCL falls back to TCP or fails.",
     .fix = "annotate the pod with `devices.gke.io/container.` and the daemon's name: a list with "
            "a `path` for each of `/dev/nvidia0` to `/dev/nvidia7`, `/dev/nvidiactl` and "
            "`/dev/nvidia-uvm`, and for GPUDirect-TCPXO `/dev/dmabuf_import_helper`"},
    {.name = "gke-daemon-capabilities",
     .group = CheckGroup::Fabric,
     .effect = Effect::NeverRuns,
     .sentence = "The daemon of a GPU network on GKE may set up network interfaces.",
     .source = "GoogleCloudPlatform/container-engine-accelerators "
               "gpudirect-tcpxo/nccl-test-latest.yaml and gpudirect-tcpx/nccl-test-latest.yaml; "
               "google/nccl-plugin-gpudirect-tcpxo scripts/kernel_tuning.sh calls `ethtool -C`",
     .pod = capabilities,
     .severity = Severity::Warning,
     .because = "What it sets of the interfaces wants that capability; the first call that is "
                "refused ends its set-up.",
     .fix = "add `NET_ADMIN` and `NET_BIND_SERVICE` to `securityContext.capabilities.add` of the "
            "daemon"},
    {.name = "gke-daemon-gpus",
     .group = CheckGroup::Fabric,
     .effect = Effect::NeverRuns,
     .sentence = "The daemon of a GPU network on GKE leaves the GPUs to the program.",
     .source = "GoogleCloudPlatform/container-engine-accelerators gpudirect-tcpxo and "
               "gpudirect-tcpx, where devices come by an annotation",
     .pod = gpus,
     .severity = Severity::Warning,
     .because = "GPUs are counted for each container: the program has so many less, or the pod "
                "asks for more than any node has and stays pending.",
     .fix = "leave GPUs out of the daemon's resources; it is given their devices by the annotation "
            "`devices.gke.io/container.` with its name"},
    {.name = "gke-daemon-networks",
     .group = CheckGroup::Fabric,
     .effect = Effect::NeverRuns,
     .sentence = "The daemon of a GPU network on GKE is in a pod that is on the networks of the "
                 "GPUs, or on that of the node.",
     .source = "GoogleCloudPlatform/container-engine-accelerators "
               "gpudirect-tcpxo/nccl-test-latest.yaml and nccl-test.yaml, with and without "
               "hostNetwork",
     .pod = interfaces,
     .severity = Severity::Warning,
     .because = "The pod has `eth0` alone: the daemon finds no interface of a GPU, and NCCL falls "
                "back to TCP or fails.",
     .fix = "list the networks in the annotations `networking.gke.io/interfaces` and "
            "`networking.gke.io/default-interface` of the pod; where an admission webhook adds "
            "them, turn this check off"},
    {.name = "gke-daemon-missing",
     .group = CheckGroup::Fabric,
     .effect = Effect::RunsWrong,
     .sentence = "A program that is set up for GPUDirect-TCPXO has its daemon beside it.",
     .source =
         "google/nccl-plugin-gpudirect-tcpxo README.md; "
         "GoogleCloudPlatform/container-engine-accelerators gpudirect-tcpxo/best-practice.md: "
         "both share the network of one pod",
     .pod = missing_daemon,
     .severity = Severity::Warning,
     .because = "NCCL's plugin asks the daemon to make the GPUs' memory known to the network; "
                "without it NCCL falls back to TCP or fails.",
     .fix = "add the container `tcpxo-daemon` as a native sidecar, or leave the settings out; "
            "where an admission webhook adds it, turn this check off"},
};

}  // namespace

const std::span<const Check> gke_daemon_lints = kChecks;

}  // namespace trainyard
