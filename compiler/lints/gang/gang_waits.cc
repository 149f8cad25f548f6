// Gangs that wait for pods which wait for the gang.

#include <algorithm>
#include <string>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/go_text.h"
#include "manifest/metadata.h"
#include "operators/train_job_runtime.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// The gang wants the launcher, and the launcher is made when the workers run.
void gang_waits_for_launcher(const Workload& workload, CheckContext& context) {
  if (workload.kind != "MPIJob") return;
  const View when = get(workload.spec, "launcherCreationPolicy");
  if (string_of(when) != "WaitForWorkersReady") return;
  const View policy = get(get(workload.spec, "runPolicy"), "schedulingPolicy");
  const WorkloadRole* workers = workload.role("Worker");
  if (!policy || workers == nullptr) return;
  const auto least = integer_at(policy, "minAvailable");
  if (least && *least <= workers->pods) return;
  context
      .lint(when, "the launcher is made when all workers run, and the gang of " +
                      std::to_string(least.value_or(workers->pods + 1)) + " lets none of the " +
                      std::to_string(workers->pods) + " workers run before the launcher is there")
      .also(context.place(policy), least ? "the gang" : "a gang of all workers and the launcher");
}

/// Pods of a task that depends on others are made when those run, and Volcano looks at a job only
/// when as many pods are made as start together: volcano-sh/volcano
/// pkg/scheduler/plugins/gang/gang.go validJobFn, pkg/controllers/job/job_controller_actions.go
/// waitDependsOnTaskMeetCondition; without a number these are all,
/// pkg/webhooks/admission/jobs/mutate/mutate_job.go.
void gang_waits_for_task(const Workload& workload, CheckContext& context) {
  if (!workload.is("batch.volcano.sh", "Job")) return;
  const std::string_view scheduler = string_at(workload.spec, "schedulerName");
  if (!scheduler.empty() && scheduler != "volcano") return;
  std::int64_t at_once = 0;
  std::int64_t all = 0;
  View waits;
  for (const WorkloadRole& role : workload.roles) {
    const View names = get(get(role.holder, "dependsOn"), "name");
    if (!has_items(names)) {
      at_once += role.pods;
    } else if (!waits) {
      waits = names;
    }
    all += integer_at(role.holder, "minAvailable").value_or(role.pods);
  }
  const View least = get(workload.spec, "minAvailable");
  const std::int64_t needed = integer_of(least).value_or(0) > 0 ? *integer_of(least) : all;
  if (!waits || needed <= at_once) return;
  context
      .lint(least ? least : waits,
            "the gang of " + std::to_string(needed) +
                " lets no pod run before all of them are "
                "there, and the pods of tasks that depend on others are made when those run: there "
                "are " +
                std::to_string(at_once) + " without them")
      .also(context.place(waits), "made later");
}

/// The replicated jobs that are made only when others run or have ended.
struct LateJobs {
  std::int64_t at_once = 0;  // those that are made at the beginning
  std::int64_t all = 0;
  View why;  // what holds back the first of the others
  std::string_view name;
};

LateJobs late_jobs(View job_set_spec) {
  LateJobs jobs;
  const View order = get(get(job_set_spec, "startupPolicy"), "startupPolicyOrder");
  for (View each : items_at(job_set_spec, "replicatedJobs")) {
    ++jobs.all;
    const View waits = get(each, "dependsOn");
    const bool in_order = string_of(order) == "InOrder" && jobs.all > 1;
    if (!has_items(waits) && !in_order) {
      ++jobs.at_once;
    } else if (!jobs.why) {
      jobs.why = has_items(waits) ? waits : order;
      jobs.name = string_at(each, "name");
    }
  }
  return jobs;
}

bool goes_to(View job_set_spec, std::string_view scheduler) {
  return std::ranges::any_of(items_at(job_set_spec, "replicatedJobs"), [&](View each) {
    return string_at(pod_spec_of(each), "schedulerName") == scheduler;
  });
}

/// kubeflow/trainer pkg/runtime/framework/plugins/coscheduling/coscheduling.go Build: the PodGroup
/// wants the pods of all replicated jobs.
void runtime_gang_waits(View runtime, CheckContext& context) {
  const View policy = get(get(runtime, "spec"), "podGroupPolicy");
  if (!get(policy, "coscheduling") && !get(policy, "volcano")) return;
  const View spec = get(get(get(runtime, "spec"), "template"), "spec");
  const LateJobs jobs = late_jobs(spec);
  if (!jobs.why) return;
  // Another scheduler may have the plugin as well, or know nothing of the PodGroup.
  const bool surely = goes_to(spec, "volcano") || goes_to(spec, "scheduler-plugins-scheduler");
  const std::string never = surely ? ": the job never starts" : "";
  context
      .lint(jobs.why,
            "the pods of " + shown(jobs.name) +
                " are made when those before them run or have ended, and the gang lets none run "
                "without them" +
                never,
            surely ? Severity::Error : Severity::Warning)
      .also(context.place(policy), "a gang of the pods of all replicated jobs");
}

/// kai-scheduler/KAI-Scheduler pkg/podgrouper/podgrouper/plugins/jobset/jobset_grouper.go
/// computePodGroupMinSubGroup: all replicated jobs, one where they start in order, or what an
/// annotation says.
void kai_gang_waits(View job_set_spec, View override, View reference, CheckContext& context) {
  if (!context.versions().within({.name = "kai", .since = "0.16"})) return;
  const LateJobs jobs = late_jobs(job_set_spec);
  if (!jobs.why || !goes_to(job_set_spec, "kai-scheduler")) return;
  std::int64_t needed = jobs.why.key() == "dependsOn" ? jobs.all : 1;
  if (override) needed = std::min(go_integer(string_of(override)).value_or(0), jobs.all);
  if (needed <= jobs.at_once) return;
  const View at = reference ? reference : jobs.why;
  auto& report = context.lint(
      at, "the pods of " + shown(jobs.name) +
              " are made when those before them run or have ended, and KAI lets none run without " +
              (needed == jobs.all ? "them" : std::to_string(needed) + " replicated jobs") +
              ": the job never starts");
  if (reference) report.also(context.place(jobs.why), "what they wait for");
  report.note(
      "the annotation `kai.scheduler/batch-min-member: \"1\"` lets each replicated job be a "
      "gang of its own");
}

constexpr std::string_view kBatchMinimum = "kai.scheduler/batch-min-member";

void gang_waits_for_step(View object, CheckContext& context) {
  const std::string_view kind = string_at(object, "kind");
  if (kind.ends_with("TrainingRuntime")) return runtime_gang_waits(object, context);
  if (kind == "JobSet") {
    // The annotations of a TrainJob reach KAI past the JobSet that is made from it.
    if (context.is_ours()) return;
    return kai_gang_waits(get(object, "spec"), annotation(object, kBatchMinimum), {}, context);
  }
  const TrainJob job = train_job(object, context);
  if (!job) return;
  View override = annotation(object, kBatchMinimum);
  const View metadata = get(get(get(job.runtime, "spec"), "template"), "metadata");
  if (const View own = get(get(metadata, "annotations"), kBatchMinimum)) override = own;
  const View spec = get(object, "spec");
  if (get(spec, "runtimePatches") || get(get(spec, "annotations"), kBatchMinimum)) return;
  kai_gang_waits(job.template_spec, override, get(get(spec, "runtimeRef"), "name"), context);
}

constexpr Check kChecks[] = {
    {.name = "gang-waits-for-launcher",
     .group = CheckGroup::Gang,
     .effect = Effect::NeverRuns,
     .sentence = "A gang does not count a launcher that waits for the gang.",
     .source =
         "kubeflow/mpi-operator pkg/controller/podgroup.go calculateMinAvailable: workers + 1; "
         "kubeflow/mpi-operator issue 608",
     .workload = gang_waits_for_launcher,
     .severity = Severity::Warning,
     .because = "The workers wait for the gang, the gang for the launcher, and the launcher for "
                "the workers.",
     .fix = "set `minAvailable` to the number of workers, or create the launcher `AtStartup`"},
    {.name = "gang-waits-for-task",
     .group = CheckGroup::Gang,
     .effect = Effect::NeverRuns,
     .sentence = "The gang of a Volcano Job does not want pods that are made only when others of "
                 "it run.",
     .source = "volcano-sh/volcano pkg/scheduler/plugins/gang/gang.go; "
               "pkg/controllers/job/job_controller_actions.go; issue 2944",
     .workload = gang_waits_for_task,
     .severity = Severity::Warning,
     .because = "The first task waits for a gang that is never complete, and the others for the "
                "first: the pods stay Pending.",
     .fix = "set `minAvailable` to the number of pods of tasks that depend on no other"},
    {.name = "gang-waits-for-step",
     .group = CheckGroup::Gang,
     .effect = Effect::NeverRuns,
     .on = "trainer.kubeflow.org TrainingRuntime ClusterTrainingRuntime TrainJob; "
           "jobset.x-k8s.io JobSet",
     .sentence = "A gang does not want pods that are made only when others of it run.",
     .source = "kubeflow/trainer pkg/runtime/framework/plugins/coscheduling/coscheduling.go Build; "
               "kai-scheduler/KAI-Scheduler "
               "pkg/podgrouper/podgrouper/plugins/jobset/jobset_grouper.go "
               "computePodGroupMinSubGroup; kubernetes-sigs/jobset pkg/controllers/depends_on.go",
     .object = gang_waits_for_step,
     .severity = Severity::Warning,
     .because = "The first step waits for a gang that is never complete, and the next for the "
                "first: the pods stay Pending.",
     .fix = "leave out the gang, or what the steps wait for"},
};

}  // namespace

const std::span<const Check> gang_wait_lints = kChecks;

}  // namespace trainyard
