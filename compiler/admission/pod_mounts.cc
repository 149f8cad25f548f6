#include <algorithm>
#include <array>
#include <unordered_set>
#include <vector>

#include "admission/tables.h"
#include "admission/volume_paths.h"
#include "check/check.h"
#include "check/first_seen.h"
#include "diag/suggest.h"
#include "diag/words.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kSource =
    "kubernetes/kubernetes pkg/apis/core/validation/validation.go ValidateVolumeMounts";

View find_volume(const Pod& pod, std::string_view name) {
  for (View volume : items_at(pod.spec, "volumes")) {
    if (string_at(volume, "name") == name) return volume;
  }
  return {};
}

std::vector<std::string_view> volume_names(const Pod& pod) {
  std::vector<std::string_view> names = pod.added_volumes;
  for (View volume : items_at(pod.spec, "volumes")) names.push_back(string_at(volume, "name"));
  return names;
}

void no_volume(View name, std::span<const std::string_view> names, CheckContext& context) {
  std::string message = "there is no volume " + shown(name->text) + " in this pod";
  const auto near = suggest(name->text, names);
  if (near) {
    message += ": did you mean " + shown(*near) + "?";
  } else if (names.empty()) {
    message += "; it has none";
  }
  context.refuse(name, std::move(message));
}

void mount_volumes(const Pod& pod, CheckContext& context) {
  if (pod.has(kAddsVolumes)) return;
  const std::vector<std::string_view> names = volume_names(pod);
  const std::unordered_set<std::string_view> known(names.begin(), names.end());
  for (const PodContainer& container : pod.containers) {
    for (std::string_view list : {"volumeMounts", "volumeDevices"}) {
      for (View mount : items_at(container.node, list)) {
        const View name = get(mount, "name");
        if (!name || name.kind() != Kind::String) continue;
        if (!known.contains(name->text)) no_volume(name, names, context);
      }
    }
  }
}

/// Each value at `key` of the items of `list` comes once, and in none of `others`.
void unique_paths(View container, std::string_view list, std::string_view key, FirstSeen& seen,
                  CheckContext& context) {
  for (View item : items_at(container, list)) {
    const View path = get(item, key);
    if (string_of(path).empty()) continue;
    const View first = seen.first(path->text, path);
    if (first && !context.is_flagged(item)) {
      context.refuse(path, "two volumes are mounted at " + shown(path->text))
          .also(context.place(first), "the first one");
    }
  }
}

void sub_path(View mount, std::string_view key, CheckContext& context) {
  const View path = get(mount, key);
  if (string_of(path).empty()) return;
  if (const auto fault = why_not_below(path->text)) {
    context.refuse(path, "path " + shown(path->text) + " in the volume " + *fault);
  }
}

void mount_paths(const Pod& pod, CheckContext& context) {
  for (const PodContainer& container : pod.containers) {
    FirstSeen seen;
    unique_paths(container.node, "volumeMounts", "mountPath", seen, context);
    unique_paths(container.node, "volumeDevices", "devicePath", seen, context);
    for (View mount : items_at(container.node, "volumeMounts")) {
      sub_path(mount, "subPath", context);
      sub_path(mount, "subPathExpr", context);
      const View path = get(mount, "subPath");
      const View expression = get(mount, "subPathExpr");
      if (!string_of(path).empty() && !string_of(expression).empty()) {
        context.refuse_key(expression, "a mount has `subPath` or `subPathExpr`, not both");
      }
      const View at = get(mount, "mountPath");
      if (at && at.kind() == Kind::String && at->text.empty()) {
        context.refuse(at, "`mountPath` is empty; expected where the volume is to appear");
      }
    }
  }
}

void mount_propagation(const Pod& pod, CheckContext& context) {
  constexpr auto words =
      std::to_array<std::string_view>({"None", "HostToContainer", "Bidirectional"});
  for (const PodContainer& container : pod.containers) {
    const bool privileged = is_true(get(get(container.node, "securityContext"), "privileged"));
    for (View mount : items_at(container.node, "volumeMounts")) {
      const View mode = get(mount, "mountPropagation");
      context.allow(mode, "mount propagation", words);
      if (string_of(mode) == "Bidirectional" && !privileged) {
        context.refuse(mode, "`Bidirectional` needs a privileged container, which this one is not");
      }
    }
  }
}

void read_only_mounts(const Pod& pod, CheckContext& context) {
  constexpr auto words = std::to_array<std::string_view>({"Disabled", "IfPossible", "Enabled"});
  for (const PodContainer& container : pod.containers) {
    for (View mount : items_at(container.node, "volumeMounts")) {
      const View mode = get(mount, "recursiveReadOnly");
      context.allow(mode, "value of `recursiveReadOnly`", words);
      const std::string_view word = string_of(mode);
      if (word != "IfPossible" && word != "Enabled") continue;
      if (!is_true(get(mount, "readOnly"))) {
        context.refuse(mode, "`recursiveReadOnly` needs `readOnly: true` beside it");
      }
      const View propagation = get(mount, "mountPropagation");
      if (!string_of(propagation).empty() && propagation->text != "None") {
        context.refuse(propagation, "`recursiveReadOnly` needs `mountPropagation: None`");
      }
    }
  }
}

void block_devices(const Pod& pod, CheckContext& context) {
  for (const PodContainer& container : pod.containers) {
    std::vector<std::string_view> mounted;
    for (View mount : items_at(container.node, "volumeMounts")) {
      mounted.push_back(string_at(mount, "name"));
    }
    for (View device : items_at(container.node, "volumeDevices")) {
      const View name = get(device, "name");
      if (string_of(name).empty()) continue;
      if (std::ranges::find(mounted, name->text) != mounted.end()) {
        context.refuse(name, "volume " + shown(name->text) +
                                 " is used as a device and as a directory by one container");
      }
      const View volume = find_volume(pod, name->text);
      if (volume && !get(volume, "persistentVolumeClaim") && !get(volume, "ephemeral")) {
        context.refuse(name, "volume " + shown(name->text) +
                                 " is no claim: only a claim can be a block device");
      }
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "mount-without-volume",
     .group = CheckGroup::Core,
     .sentence = "What a container mounts is a volume of its pod.",
     .source = kSource,
     .pod = mount_volumes},
    {.name = "mount-paths",
     .group = CheckGroup::Core,
     .sentence = "A container mounts one volume at a path, and paths in volumes stay inside.",
     .source = kSource,
     .pod = mount_paths},
    {.name = "mount-propagation",
     .group = CheckGroup::Core,
     .sentence = "Only a privileged container passes its mounts on to the node.",
     .source = kSource,
     .pod = mount_propagation},
    {.name = "read-only-mounts",
     .group = CheckGroup::Core,
     .sentence = "A mount that is read-only all the way down is read-only at its top.",
     .source = kSource,
     .pod = read_only_mounts},
    {.name = "block-devices",
     .group = CheckGroup::Core,
     .sentence = "A block device is a claim, and not mounted as a directory as well.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go ValidateVolumeDevices",
     .pod = block_devices},
};

}  // namespace

constinit const std::span<const Check> pod_mount_checks = kChecks;

}  // namespace trainyard
