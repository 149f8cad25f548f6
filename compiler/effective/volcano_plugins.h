#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "effective/pod_parts.h"
#include "effective/pods.h"

namespace trainyard {

/// A task of a Volcano job, with the name that admission gives it when it has none.
struct VolcanoTask {
  std::string name;
  View spec;
  std::int64_t replicas = 0;
};

std::vector<VolcanoTask> volcano_tasks(View job);

/// What a plugin is given to work on.
struct VolcanoPod {
  View job;
  const std::vector<VolcanoTask>& tasks;
  const VolcanoTask& task;  // that the pod belongs to
  std::int64_t index;
  PodDraft draft;
  std::vector<std::string>& notes;
};

/// Lets the plugins of the job, and those that admission adds for them, work on the pod. The
/// controller goes through them in no order at all; here it is that of their names.
/// volcano-sh/volcano pkg/controllers/job/plugins
void run_volcano_plugins(PodBuilder& maker, const VolcanoPod& pod);

}  // namespace trainyard
