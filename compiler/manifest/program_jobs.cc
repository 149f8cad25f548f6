#include "manifest/program_jobs.h"

#include <string>

#include "tree/typed_fields.h"

namespace trainyard {
namespace {

std::string_view label_of(View object, std::string_view key) {
  return string_at(get(get(object, "metadata"), "labels"), key);
}

}  // namespace

std::optional<ProgramJob> program_of(View object) {
  if (string_at(object, "kind") != "Job" || string_at(object, "apiVersion") != "batch/v1")
    return {};
  if (label_of(object, "app.kubernetes.io/managed-by") != "trainyard") return {};
  const std::string_view role = label_of(get(get(object, "spec"), "template"), "trainyard/role");
  std::string_view name = string_at(get(object, "metadata"), "name");
  const std::string ending = "-" + std::string(role);
  // A run has a name of its own that begins with that of its job.
  const bool is_named = name.starts_with(label_of(object, "app.kubernetes.io/instance"));
  if (role.empty() || !is_named || !name.ends_with(ending)) return {};
  name.remove_suffix(ending.size());
  return ProgramJob{name, role};
}

std::vector<View> jobs_of_programs(std::span<const View> objects, View object) {
  const auto own = program_of(object);
  if (!own) return {};
  const auto name_space = [](View each) { return string_at(get(each, "metadata"), "namespace"); };
  std::vector<View> result;
  for (View each : objects) {
    const auto other = program_of(each);
    if (other && other->job == own->job && name_space(each) == name_space(object)) {
      result.push_back(each);
    }
  }
  return result;
}

}  // namespace trainyard
