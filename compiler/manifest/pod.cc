#include "manifest/pod.h"

#include <algorithm>

#include "tree/typed_fields.h"

namespace trainyard {

Pod read_pod(View object, View holder, const PodPlace& place) {
  Pod pod;
  pod.holder = holder;
  pod.metadata = get(holder, "metadata");
  pod.spec = get(holder, "spec");
  pod.fills = place.fills;
  for (View node : items_at(pod.spec, "containers")) {
    pod.containers.push_back({node, ContainerRole::Regular});
  }
  for (View node : items_at(pod.spec, "initContainers")) {
    const bool stays = string_at(node, "restartPolicy") == "Always";
    pod.containers.push_back({node, stays ? ContainerRole::Sidecar : ContainerRole::Init});
  }
  for (View node : items_at(pod.spec, "ephemeralContainers")) {
    pod.containers.push_back({node, ContainerRole::Ephemeral});
  }
  if (!place.volumes.empty()) {
    each_at(object, place.volumes,
            [&](View name) { pod.added_volumes.push_back(string_of(name)); });
  }
  for (std::string_view rest = place.volume_names; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    pod.added_volumes.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return pod;
}

}  // namespace trainyard
