#include "convert/job_programs.h"

#include <algorithm>
#include <string>
#include <utility>

#include "convert/numbered_tasks.h"
#include "convert/read_job_set.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

bool is_volcano_job(View object) {
  return string_at(object, "kind") == "Job" &&
         string_at(object, "apiVersion").starts_with("batch.volcano.sh/");
}

View groups_of(View object) {
  const View spec = get(object, "spec");
  if (string_at(object, "kind") == "RayJob") {
    return get(get(spec, "rayClusterSpec"), "workerGroupSpecs");
  }
  if (string_at(object, "kind") == "JobSet") return get(spec, "replicatedJobs");
  return is_volcano_job(object) ? get(spec, "tasks") : View();
}

std::vector<std::string_view> names_in(View groups) {
  std::vector<std::string_view> names;
  for (View each : Items(groups)) {
    if (!each->is_map()) continue;
    const View name = get(each, "name");
    names.push_back(string_of(name ? name : get(each, "groupName")));
  }
  return names;
}

bool have_own_names(View groups) {
  const std::vector<std::string_view> names = names_in(groups);
  const auto is_own = [](std::string_view name) { return role_word(name).empty(); };
  return names.size() > 1 && std::ranges::any_of(names, is_own);
}

}  // namespace

std::vector<std::string_view> names_of_groups(View object) {
  return names_in(groups_of(object));
}

bool are_programs(View replicated_jobs) {
  const bool of_trainer = std::ranges::any_of(Items(replicated_jobs), [](View each) {
    const View labels = get(get(get(each, "template"), "metadata"), "labels");
    return static_cast<bool>(get(labels, "trainer.kubeflow.org/trainjob-ancestor-step"));
  });
  return !of_trainer && have_own_names(replicated_jobs);
}

bool has_programs(View object) {
  if (!is_volcano_job(object)) return are_programs(groups_of(object));
  return have_own_names(groups_of(object)) && !are_numbered_tasks(get(object, "spec"));
}

void read_program(Conversion& job, std::string_view name, std::int64_t pods,
                  const std::function<void(const ConvertedRole&)>& read_pods) {
  ConvertedRole role;
  role.name = name;
  role.pods = std::max<std::int64_t>(pods, 1);
  const std::int64_t all = std::exchange(job.pods, role.pods);
  const std::int64_t gang = std::exchange(job.gang_pods, std::max(job.gang_pods, all));
  read_pods(role);
  job.gang_pods = gang;
  if (!job.framework.empty()) {
    job.maker.put(job.roles.back().fields, "framework", job.text(job.framework));
  }
  job.framework = {};
  job.processes = 0;
  job.pods = all;
}

bool counts_by_itself(const Conversion& job, const ConvertedRole& program) {
  const View framework = job.maker.view(program.fields)["framework"];
  return program.launcher == "none" && framework.text() == "none";
}

void put_after(Conversion& job, std::string_view other, std::string_view state) {
  job.maker.put(job.map_at(job.roles.back().fields, "after"), other, job.text(state));
}

void put_ends(Conversion& job, const std::vector<std::string_view>& enders) {
  for (ConvertedRole& role : job.roles) {
    const bool ends_job = std::ranges::find(enders, role.name) != enders.end();
    const bool serves = job.maker.tree.find(role.fields, "expose") != kNoNode;
    if (!ends_job && !(enders.empty() && serves)) continue;
    job.maker.put(role.fields, "ends", job.text(ends_job ? "job" : "role"));
  }
}

}  // namespace trainyard
