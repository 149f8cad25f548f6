// NCCL's plugins for the GPU networks of GKE, and what a program needs to use them.

#include <algorithm>
#include <array>
#include <string>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/fabric_features.h"
#include "manifest/mounted_files.h"
#include "manifest/node_pools.h"
#include "manifest/pod_security.h"
#include "shell/command_line.h"
#include "source/text_parts.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kApertures = "/dev/aperture_devices";
constexpr std::string_view kDirectory = "NCCL_FASTRAK_LLCM_DEVICE_DIRECTORY";
constexpr std::string_view kGib = "/usr/local/gib";

View place_of(View container) {
  const View name = get(container, "name");
  return name ? name : container;
}

/// The devices by which the plugin talks to the NIC. Where it may write `/sys` it finds them there.
void apertures(const Pod& pod, CheckContext& context) {
  if (pod.has(kAddsContainers) || pod.has(kAddsVolumes)) return;
  if (is_true(get(pod.spec, "hostNetwork"))) return;
  const bool has_daemon = std::ranges::any_of(pod.containers, [](const PodContainer& each) {
    return is_gpu_network_daemon(each.node) &&
           is_tcpxo_daemon(string_at(each.node, "image"), string_at(each.node, "name"));
  });
  if (!has_daemon || fabric_features_of(pod).injected) return;
  for (const PodContainer& each : pod.containers) {
    const View container = each.node;
    if (is_gpu_network_daemon(container) || is_privileged(container)) continue;
    if (devices_of(get(container, "resources")).whole == 0) continue;
    const View switched = variable_value(container, "NCCL_FASTRAK_USE_LLCM");
    if (switched && switched->text == "0") continue;
    const View set = variable(container, kDirectory);
    const std::string_view folder = set ? string_at(set, "value") : kApertures;
    if (!folder.starts_with('/') || folder.starts_with("/sys")) continue;
    const std::string whose = "container " + shown(string_at(container, "name"));
    if (!is_mounted(container, folder)) {
      context.lint(place_of(container), whose + " does not see " + shown(folder) +
                                            ", by which the plugin of GPUDirect-TCPXO talks to "
                                            "its interfaces");
      continue;
    }
    // What else is started here may get it from elsewhere: workers of MPI by their launcher, and
    // `args` by the program of the image.
    const bool starts_ranks = torchrun_call(container) || accelerate_call(container);
    if (set || !starts_ranks || !has_items(get(container, "command")) ||
        has_items(get(container, "envFrom")) || contains_text(container, "LLCM_DEVICE_DIRECTORY")) {
      continue;
    }
    context.lint(place_of(container),
                 whose + " does not say where the devices of GPUDirect-TCPXO are: " +
                     shown(kDirectory) + " is not set");
  }
}

/// Machines whose nodes have gIB. Those whose interfaces come by claims alone have it in images.
bool has_gib_on_nodes(const Pod& pod, CheckContext& context) {
  const ChosenMachine chosen = machine_of(pod.spec, context.cluster());
  if (chosen.machine == nullptr || chosen.machine->nics == 0) return false;
  if (chosen.machine->fabric != NodeFabric::GkeRdma) return false;
  const FabricFeatures signs = fabric_features_of(pod);
  return signs.gke_networks && !signs.tcpx && !signs.tcpxo && !signs.injected;
}

/// A mount at the folder of gIB, in it or above.
bool has_gib_mount(View container) {
  if (is_mounted(container, kGib)) return true;
  for (View mount : items_at(container, "volumeMounts")) {
    if (string_at(mount, "mountPath").starts_with("/usr/local/gib/")) return true;
  }
  return false;
}

/// Whether a container gets the settings of gIB by a script, or names those without which its tuner
/// does not start.
bool may_have_gib_settings(View container) {
  for (std::string_view name : {"NCCL_TUNER_CONFIG_PATH", "NCCL_TUNER_PLUGIN", "BASH_ENV"}) {
    if (variable(container, name)) return true;
  }
  if (has_items(get(container, "envFrom"))) return true;
  return std::ranges::any_of(command_words(container), [](const ShellWord& word) {
    return word.text == "." || word.text == "source" || contains(word.text, "set_nccl_env") ||
           contains(word.text, "NCCL_TUNER");
  });
}

/// A launcher that is called directly; what an image starts in front of `args` is not known.
void gib_settings(const Pod& pod, CheckContext& context) {
  if (!has_gib_on_nodes(pod, context)) return;
  for (const PodContainer& each : pod.containers) {
    if (!has_items(get(each.node, "command")) || !has_gib_mount(each.node)) continue;
    if (devices_of(get(each.node, "resources")).whole == 0) continue;
    const auto call = torchrun_call(each.node);
    if (!call || may_have_gib_settings(each.node)) continue;
    context.lint(call->at,
                 "torchrun starts with the plugin gIB and without NCCL's settings for it");
  }
}

/// What in a container is in the folder of gIB.
View needs_gib(View container) {
  const View path = variable_value(container, "LD_LIBRARY_PATH");
  if (path && contains(path->text, "/usr/local/gib/")) return path;
  for (const ShellWord& word : command_words(container)) {
    if (contains(word.text, "/usr/local/gib/scripts/set_nccl_env.sh")) return word.at;
  }
  return {};
}

/// Where libraries of the node are mounted and these are not; images that have gIB say so in their
/// names.
void gib_libraries(const Pod& pod, CheckContext& context) {
  if (pod.has(kAddsContainers) || pod.has(kAddsVolumes) || !has_gib_on_nodes(pod, context)) return;
  for (const PodContainer& each : pod.containers) {
    if (devices_of(get(each.node, "resources")).whole == 0 || has_gib_mount(each.node)) continue;
    if (!is_mounted(each.node, "/usr/local/nvidia/lib64")) continue;
    if (contains(string_at(each.node, "image"), "gib")) continue;
    const View needs = needs_gib(each.node);
    if (!needs) continue;
    context.lint(needs,
                 "nothing is mounted at `/usr/local/gib`, where the plugin gIB of the node "
                 "is looked for");
  }
}

constexpr Check kChecks[] = {
    {.name = "tcpxo-apertures",
     .group = CheckGroup::Fabric,
     .effect = Effect::RunsWrong,
     .sentence = "A program beside the daemon of GPUDirect-TCPXO has the devices of its interfaces "
                 "and says where they are.",
     .source = "google/nccl-plugin-gpudirect-tcpxo "
               "tcpdirect_plugin/fastrak_offload/nic_client_router.cc; "
               "GoogleCloudPlatform/container-engine-accelerators "
               "gpudirect-tcpxo/nccl-test-latest.yaml",
     .pod = apertures,
     .severity = Severity::Warning,
     .because =
         "The plugin looks in `/sys/bus/pci/devices`, which a container without privileges "
         "may only read, unless a variable names another folder; the profile script does not "
         "tell it. It then finds no way to its interfaces.",
     .fix = "mount the node's `/dev/aperture_devices` at the same path and set "
            "`NCCL_FASTRAK_LLCM_DEVICE_DIRECTORY` to it; an image that sets the variable can turn "
            "this check off"},
    {.name = "gib-settings",
     .group = CheckGroup::Fabric,
     .effect = Effect::RunsWrong,
     .sentence = "A program with the plugin gIB has NCCL's settings for it.",
     .source = "GoogleCloudPlatform/container-engine-accelerators gpudirect-rdma/nccl-test.yaml; "
               "Google Cloud documentation of GPUDirect RDMA on GKE",
     .pod = gib_settings,
     .severity = Severity::Warning,
     .because = "The script sets which network NCCL takes and where the tuner of gIB has its "
                "configuration, without which the job ends or falls back to TCP.",
     .fix = "source `/usr/local/gib/scripts/set_nccl_env.sh` in a shell that then starts the "
            "program; an image that sets the variables can turn this check off",
     .rule = "network"},
    {.name = "gib-libraries",
     .group = CheckGroup::Fabric,
     .effect = Effect::RunsWrong,
     .sentence = "The plugin gIB of the node is mounted where a program looks for it.",
     .source = "GoogleCloudPlatform/container-engine-accelerators gpudirect-rdma/nccl-test.yaml",
     .pod = gib_libraries,
     .severity = Severity::Warning,
     .because = "Without the plugin NCCL falls back to TCP, or ends where `NCCL_NET` names it; a "
                "script that is not there is not run.",
     .fix =
         "mount the node's `/home/kubernetes/bin/gib` at `/usr/local/gib`; an image that has the "
         "plugin itself can turn this check off"},
};

}  // namespace

const std::span<const Check> gke_plugin_lints = kChecks;

}  // namespace trainyard
