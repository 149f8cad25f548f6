#include "manifest/ray_objects.h"

#include <cstddef>

#include "source/number_text.h"
#include "tree/typed_fields.h"

namespace trainyard {

View ray_job_spec(View object) {
  const View spec = get(object, "spec");
  const std::string_view kind = string_at(object, "kind");
  if (kind == "RayJob") return spec;
  return kind == "RayCronJob" ? get(spec, "jobTemplate") : View();
}

View ray_cluster_spec(View object) {
  const View spec = get(object, "spec");
  if (const View job = ray_job_spec(object)) return get(job, "rayClusterSpec");
  return string_at(object, "kind") == "RayService" ? get(spec, "rayClusterConfig") : spec;
}

bool ray_scales_itself(View cluster) {
  return is_true(get(cluster, "enableInTreeAutoscaling"));
}

View ray_container(View group) {
  const Items containers = items_at(get(get(group, "template"), "spec"), "containers");
  return containers.begin() == containers.end() ? View() : *containers.begin();
}

std::optional<std::array<int, 3>> ray_version(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  std::array<int, 3> parts{};
  std::size_t count = 0;
  while (count < parts.size()) {
    const auto number = take_number<int>(text);
    if (!number) break;
    parts[count++] = *number;
    if (!text.starts_with('.')) break;
    text.remove_prefix(1);
  }
  return count < 2 ? std::nullopt : std::optional(parts);
}

}  // namespace trainyard
