// Volumes that begin empty.

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Mounts of one volume in all containers of a pod.
struct Mounts {
  View first;
  bool all_read_only = true;
};

/// By the name of the volume.
std::map<std::string_view, Mounts> mounts_of(View spec) {
  std::map<std::string_view, Mounts> found;
  for (std::string_view list : {"initContainers", "containers"}) {
    for (View container : items_at(spec, list)) {
      for (View mount : items_at(container, "volumeMounts")) {
        Mounts& mounts = found[string_at(mount, "name")];
        if (!mounts.first) mounts.first = mount;
        mounts.all_read_only = mounts.all_read_only && is_true(get(mount, "readOnly"));
      }
    }
  }
  return found;
}

void written_by_none(const Pod& pod, CheckContext& context) {
  std::optional<std::map<std::string_view, Mounts>> mounts;  // once there is an empty volume
  for (View volume : items_at(pod.spec, "volumes")) {
    if (!get(volume, "emptyDir")) continue;
    if (!mounts) mounts = mounts_of(pod.spec);
    const auto found = mounts->find(string_at(volume, "name"));
    if (found == mounts->end() || !found->second.all_read_only) continue;
    context
        .lint(get(found->second.first, "readOnly"),
              "volume " + shown(string_at(volume, "name")) +
                  " begins empty, and no container may write to it")
        .also(context.place(get(volume, "name")), "the volume");
  }
}

constexpr Check kChecks[] = {
    {.name = "empty-and-read-only",
     .group = CheckGroup::Storage,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "A container of the pod can write to a volume that begins empty.",
     .source = "kubernetes/kubernetes pkg/volume/emptydir/empty_dir.go",
     .pod = written_by_none,
     .severity = Severity::Warning,
     .because = "The folder stays empty, and a program that downloads a model or writes a cache "
                "to it fails.",
     .fix = "leave `readOnly` out where the program writes"},
};

}  // namespace

const std::span<const Check> empty_volume_lints = kChecks;

}  // namespace trainyard
