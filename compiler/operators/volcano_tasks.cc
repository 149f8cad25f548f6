#include "operators/volcano_tasks.h"

#include "tree/typed_fields.h"

namespace trainyard::volcano {

View job_spec(View object) {
  const View spec = get(object, "spec");
  return string_at(object, "kind") == "CronJob" ? get(get(spec, "jobTemplate"), "spec") : spec;
}

std::vector<Task> tasks_of(View object) {
  std::vector<Task> tasks;
  for (View task : items_at(job_spec(object), "tasks")) {
    const std::string_view name = string_at(task, "name");
    tasks.push_back(
        {task, name.empty() ? "default" + std::to_string(tasks.size()) : std::string(name)});
  }
  return tasks;
}

}  // namespace trainyard::volcano
