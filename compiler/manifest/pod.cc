#include "manifest/pod.h"

#include <algorithm>

#include "tree/typed_fields.h"

namespace trainyard {

Pod read_pod(View object, View holder, const PodPlace& place) {
  Pod pod;
  pod.holder = holder;
  pod.metadata = get(holder, "metadata");
  pod.spec = get(holder, "spec");
  pod.controller_defaults = place.controller_defaults;
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
  const View always = place.volume_names;
  for (View each = always ? always.first() : View(); each; each = each.next()) {
    pod.added_volumes.push_back(each.text());
  }
  return pod;
}

}  // namespace trainyard
