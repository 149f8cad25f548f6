// Jobs that make no pod.

#include <algorithm>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

bool is_job(const Workload& workload) {
  return workload.is("batch", "Job") || workload.kind == "JobSet" ||
         workload.is("batch.volcano.sh", "Job") || workload.group == "kubeflow.org";
}

/// A Job of `parallelism: 0` waits for a larger number; with `completions: 0` it is complete.
bool is_paused(const Workload& workload) {
  return workload.is("batch", "Job") && integer_at(workload.spec, "completions") != 0;
}

void no_pods(const Workload& workload, CheckContext& context) {
  if (!is_job(workload) || workload.roles.empty() || is_paused(workload)) return;
  const bool is_none =
      std::ranges::all_of(workload.roles, [](const WorkloadRole& role) { return role.pods == 0; });
  if (!is_none) return;
  const WorkloadRole& role = workload.roles.front();
  context.lint(role.count ? role.count : role.holder,
               "no pod is made of this " + std::string(workload.kind));
}

constexpr Check kChecks[] = {
    {.name = "job-without-pods",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "A job makes at least one pod.",
     .source = "kubernetes/kubernetes pkg/controller/job/job_controller.go: complete with as many "
               "successes as completions; kubernetes-sigs/jobset pkg/controllers/success_policy.go",
     .workload = no_pods,
     .severity = Severity::Warning,
     .because = "It is complete at once, or never: nothing is trained.",
     .fix = "let the number of pods be at least 1"},
};

}  // namespace

const std::span<const Check> job_without_pods_lints = kChecks;

}  // namespace trainyard
