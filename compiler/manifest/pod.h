#pragma once

#include <string_view>
#include <vector>

#include "manifest/pod_templates.h"
#include "tree/tree.h"

namespace trainyard {

enum class ContainerRole : std::uint8_t {
  Regular,
  Init,
  Sidecar,  // an init container that goes on running: restartPolicy Always
  Ephemeral,
};

struct PodContainer {
  View node;
  ContainerRole role = ContainerRole::Regular;
};

/// A pod template as checks see it.
struct Pod {
  View holder;  // of `metadata` and `spec`: the template, or the pod
  View metadata;
  View spec;
  std::vector<PodContainer> containers;
  std::vector<std::string_view> added_volumes;  // names, from the object around the template
  std::uint16_t controller_defaults = 0;        // of ControllerDefault

  bool has(ControllerDefault fill) const { return (controller_defaults & fill) != 0; }
};

/// The pod at `holder`, which stands at `place` of `object`.
Pod read_pod(View object, View holder, const PodPlace& place);

}  // namespace trainyard
