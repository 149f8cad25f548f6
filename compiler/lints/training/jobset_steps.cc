// Replicated jobs of a JobSet that wait for the end of others.

#include <algorithm>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "lints/training/endless_program.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

View job_named(View spec, std::string_view name) {
  for (View job : items_at(spec, "replicatedJobs")) {
    if (string_at(job, "name") == name) return job;
  }
  return {};
}

/// The name of the job whose end another one waits for; an empty view for none.
View awaited_end(View job) {
  for (View each : items_at(job, "dependsOn")) {
    if (string_at(each, "status") == "Complete") return get(each, "name");
  }
  return {};
}

void endless_step(View spec, View job, CheckContext& context) {
  const View name = awaited_end(job);
  const View before = name ? job_named(spec, string_of(name)) : View();
  const View pod =
      get(get(get(get(get(before, "template"), "spec"), "template"), "spec"), "containers");
  for (View container : Items(pod)) {
    const View program = runs_for_good(container);
    if (!program) continue;
    context
        .lint(program, shown(string_at(before, "name")) + " never completes, and " +
                           shown(string_at(job, "name")) + " waits for that")
        .also(context.place(name), "what waits");
    return;
  }
}

/// Whether all that makes the set succeed are steps in front of the given job.
bool succeeds_before(View spec, View job) {
  const View policy = get(spec, "successPolicy");
  const View targets = get(policy, "targetReplicatedJobs");
  if (!has_items(targets)) return false;
  const std::string_view before = string_of(awaited_end(job));
  return std::ranges::all_of(Items(targets), [&](View each) { return string_of(each) == before; });
}

void jobset_steps(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  for (View job : items_at(spec, "replicatedJobs")) {
    if (!awaited_end(job)) continue;
    const std::size_t before = context.findings();
    endless_step(spec, job, context);
    if (context.findings() == before && succeeds_before(spec, job)) {
      const View targets = get(get(spec, "successPolicy"), "targetReplicatedJobs");
      context
          .lint(targets, "the JobSet is done when " + shown(string_of(*Items(targets).begin())) +
                             " has completed, and " + shown(string_at(job, "name")) +
                             " starts only then")
          .also(context.place(awaited_end(job)), "what it waits for");
    }
    if (context.findings() != before) return;
  }
}

constexpr Check kChecks[] = {
    {.name = "jobset-steps-end",
     .group = CheckGroup::Training,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "jobset.x-k8s.io JobSet",
     .sentence = "A replicated job for whose end another one waits does end, and is not all that "
                 "the JobSet is about.",
     .source = "kubernetes-sigs/jobset pkg/controllers/depends_on.go, success_policy.go",
     .object = jobset_steps,
     .severity = Severity::Warning,
     .because = "The Jobs behind it are never made.",
     .fix = "let the step end, or wait for `status: Ready`; name the last job in the success "
            "policy"},
};

}  // namespace

const std::span<const Check> jobset_step_lints = kChecks;

}  // namespace trainyard
