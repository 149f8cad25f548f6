#include "lints/training/ray_gpus.h"

#include <algorithm>
#include <string_view>

#include "manifest/devices.h"
#include "shell/command_line.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// GPUs that Ray sees in one pod; nothing where `ray start` gets them in another way.
std::optional<std::int64_t> gpus_of(View group) {
  const View parameters = get(group, "rayStartParams");
  if (const View told = get(parameters, "num-gpus")) return plain_number(string_of(told));
  if (string_at(parameters, "resources").find("GPU") != std::string_view::npos ||
      get(group, "resources")) {
    return std::nullopt;
  }
  const View spec = get(get(group, "template"), "spec");
  Devices all;
  for (View container : items_at(spec, "containers")) {
    all = all + devices_of(get(container, "resources"));
  }
  return all.all();
}

}  // namespace

std::optional<ClusterGpus> gpus_of_cluster(View cluster) {
  ClusterGpus gpus;
  const auto head = gpus_of(get(cluster, "headGroupSpec"));
  if (!head) return std::nullopt;
  gpus = {*head, *head};
  const bool scales = is_true(get(cluster, "enableInTreeAutoscaling"));
  for (View group : items_at(cluster, "workerGroupSpecs")) {
    const auto each = gpus_of(group);
    const auto pods = integer_at(group, scales ? "maxReplicas" : "replicas");
    const std::int64_t hosts = integer_at(group, "numOfHosts").value_or(1);
    constexpr std::int64_t kMost = 100'000;
    if (!each || !pods || *pods < 0 || *pods > kMost || hosts < 1 || hosts > kMost) {
      return std::nullopt;
    }
    if (*pods > 0) gpus.of_pod = std::max(gpus.of_pod, *each);
    gpus.of_all += *each * *pods * hosts;
  }
  return gpus;
}

}  // namespace trainyard
