// Devices of the node that are mounted beside those of a device plugin.

#include <algorithm>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

struct NodeDevices {
  std::string_view path;      // of the node; what begins with it counts, too
  std::string_view resource;  // whose plugin brings them; ends with `*` for a beginning
  std::string_view happens;
};
constexpr NodeDevices kNodeDevices[] = {
    {"/dev/infiniband", "vpc.amazonaws.com/efa",
     "libfabric finds cards that it may not open, gives EFA up, and NCCL goes over TCP"},
    {"/dev/infiniband", "rdma/*", "NCCL finds cards that it may not open"},
    {"/dev/nvidia-caps-imex-channels", "nvidia.com/gpu",
     "channels of other domains show up that CUDA may not open"},
    {"/dev/nvidia", "nvidia.com/gpu", "CUDA finds GPUs that belong to other pods"},
};

bool is_resource(std::string_view name, std::string_view wanted) {
  if (!wanted.ends_with('*')) return name == wanted;
  wanted.remove_suffix(1);
  return name.starts_with(wanted);
}

View amount_of(View container, std::string_view resource) {
  for (View entry : entries_at(get(container, "resources"), "limits")) {
    if (is_resource(entry.key(), resource) && string_of(entry) != "0" && integer_of(entry) != 0) {
      return entry;
    }
  }
  return {};
}

bool mounts(View container, std::string_view volume) {
  return std::ranges::any_of(items_at(container, "volumeMounts"),
                             [&](View mount) { return string_at(mount, "name") == volume; });
}

/// `/dev/infiniband` and what is below it; `/dev/nvidia0` for `/dev/nvidia`; all for `/dev`.
const NodeDevices* devices_at(std::string_view path, View container, View& amount) {
  for (const NodeDevices& row : kNodeDevices) {
    if (!path.starts_with(row.path) && path != "/dev") continue;
    amount = amount_of(container, row.resource);
    if (amount) return &row;
  }
  return nullptr;
}

/// A privileged container sees all devices of its node, whatever it mounts.
void beside_plugin(const Pod& pod, CheckContext& context) {
  for (View volume : items_at(pod.spec, "volumes")) {
    const View path = get(get(volume, "hostPath"), "path");
    if (!string_of(path).starts_with("/dev")) continue;
    for (const PodContainer& each : pod.containers) {
      const bool is_privileged = is_true(get(get(each.node, "securityContext"), "privileged"));
      if (is_privileged || !mounts(each.node, string_at(volume, "name"))) continue;
      View amount;
      const NodeDevices* row = devices_at(path->text, each.node, amount);
      if (row == nullptr) continue;
      context
          .lint(path, shown(path->text) + " of the node shows container " +
                          shown(string_at(each.node, "name")) +
                          " devices that it was not given: " + std::string(row->happens))
          .also(context.place(amount), "by which the device plugin gives it those that it may use");
      break;
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "devices-of-node",
     .group = CheckGroup::Fabric,
     .effect = Effect::RunsWrong,
     .stage = Stage::Preview,
     .sentence = "A container that is given devices by a plugin mounts none of the node beside "
                 "them.",
     .source = "aws-samples/aws-do-eks issue 63; NVIDIA/k8s-device-plugin; kubernetes/kubernetes "
               "pkg/kubelet/kuberuntime/kuberuntime_container.go makeDevices",
     .pod = beside_plugin,
     .severity = Severity::Warning,
     .because = "The cgroup lets the container open only what the plugin has given it, and "
                "libraries take the first devices that they see.",
     .fix = "leave the volume and its mount out: the device plugin mounts what the pod asks for"},
};

}  // namespace

const std::span<const Check> node_device_lints = kChecks;

}  // namespace trainyard
