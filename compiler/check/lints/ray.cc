// Whether the pods of a Ray cluster fit together.

#include <string>
#include <string_view>

#include "check/check.h"
#include "check/go_text.h"
#include "check/read.h"
#include "check/tables.h"
#include "schema/words.h"

namespace trainyard {
namespace {

/// The release in the tag of an image of the Ray project: `2.44.0` of
/// `docker.io/rayproject/ray:2.44.0-py311-gpu`. Nothing for other images.
std::string_view ray_release(std::string_view image) {
  constexpr std::string_view kProject = "rayproject/ray";
  const std::size_t project = image.find(kProject);
  if (project == image.npos || (project != 0 && image[project - 1] != '/')) return {};
  const std::size_t colon = image.find(':', project);
  if (colon == image.npos || image.find('@') != image.npos) return {};
  std::string_view tag = image.substr(colon + 1);
  tag = tag.substr(0, tag.find('-'));
  const bool is_release =
      tag.find('.') != tag.npos && tag.find_first_not_of("0123456789.") == tag.npos;
  return is_release ? tag : std::string_view();
}

void one_ray(const Workload& workload, CheckContext& context) {
  if (workload.group != "ray.io") return;
  View first;
  for (const WorkloadRole& role : workload.roles) {
    if (role.containers.empty()) continue;
    const View image = get(role.containers.front(), "image");  // Ray runs in the first one
    const std::string_view release = ray_release(string_of(image));
    if (release.empty()) continue;
    if (!first) {
      first = image;
      continue;
    }
    const std::string_view other = ray_release(first->text);
    if (release == other) continue;
    context
        .lint(image, "Ray " + std::string(release) + " here, and " + std::string(other) +
                         " elsewhere in the same cluster")
        .also(context.place(first), "Ray " + std::string(other));
    return;
  }
}

/// Ray takes the number of GPUs from its start parameters before it looks at the container.
void ray_gpus(const Workload& workload, CheckContext& context) {
  if (workload.group != "ray.io") return;
  for (const WorkloadRole& role : workload.roles) {
    const View stated = get(get(role.holder, "rayStartParams"), "num-gpus");
    const Devices devices = role.devices();
    if (!stated || devices.whole == 0 || devices.slices != 0) continue;
    const auto number = go_integer(string_of(stated));
    if (!number || *number <= devices.whole) continue;
    context
        .lint(stated, "Ray is told of " + std::to_string(*number) +
                          " GPUs in each pod, which has " + std::to_string(devices.whole))
        .also(context.place(devices.at), "the GPUs");
  }
}

constexpr Check kChecks[] = {
    {.name = "ray-gpus",
     .on = "workload",
     .sentence = "Ray is not told of more GPUs than its pods have.",
     .source = "ray-project/kuberay ray-operator/controllers/ray/common/pod.go "
               "generateRayStartCommand",
     .workload = ray_gpus,
     .severity = Severity::Warning,
     .because = "Ray starts actors for all of them, and those beyond the real ones find no device.",
     .fix = "leave `num-gpus` out: KubeRay takes it from the limits of the container"},
    {.name = "one-ray",
     .on = "workload",
     .sentence = "All pods of a Ray cluster run the same release of Ray.",
     .source = "ray-project/ray python/ray/_private/utils.py check_version_info",
     .workload = one_ray,
     .severity = Severity::Error,
     .because = "A worker of another release than the head refuses to join, and is started again "
                "and again.",
     .fix = "use one image, or images of one release"},
};

}  // namespace

const std::span<const Check> ray_lints = kChecks;

}  // namespace trainyard
