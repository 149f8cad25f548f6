// What runs on when a rank has failed, and whether those who start a job again hear of it.

#include <algorithm>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "lints/gang/collective_start.h"
#include "lints/tables.h"
#include "manifest/launch.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// TensorFlow's parameter servers and evaluators run until they are stopped.
bool is_endless(const WorkloadRole& role) {
  return role.name == "PS" || role.name == "Evaluator";
}

std::string by_default(View policy) {
  return policy ? "" : ", as `cleanPodPolicy` is `None` by default";
}

void pods_run_on(const Workload& workload, CheckContext& context) {
  if (string_at(workload.object, "apiVersion") != "kubeflow.org/v1") return;
  const View run = get(workload.spec, "runPolicy");
  const View clean = get(run, "cleanPodPolicy");
  if ((clean && string_of(clean) != "None") || get(run, "ttlSecondsAfterFinished")) return;
  for (const WorkloadRole& role : workload.roles) {
    if (workload.roles.size() < 2 || !is_endless(role)) continue;
    context.lint(clean ? clean : role.holder,
                 pods_of(role) +
                     (role.pods == 1 ? " never ends by itself, and runs on"
                                     : " never end by themselves, and run on") +
                     " when the job is done" + by_default(clean));
    return;
  }
  if (workload.gpu_pods() < 2) return;
  for (const WorkloadRole& role : workload.roles) {
    const View restart = get(role.holder, "restartPolicy");
    const std::string_view word = string_of(restart);
    if (word != "Never" && word != "ExitCode") continue;
    context
        .lint(clean ? clean : restart,
              "when one pod fails the job has failed, and the others keep their GPUs" +
                  by_default(clean))
        .also(context.place(restart), "a failed pod ends the job");
    return;
  }
}

/// A policy of a Volcano Job, or of a task, for failed pods.
View policy_for_failed(View holder) {
  for (View policy : items_at(holder, "policies")) {
    if (string_at(policy, "event") == "PodFailed") return policy;
    for (View event : items_at(policy, "events")) {
      if (string_of(event) == "PodFailed") return policy;
    }
  }
  return {};
}

void failures_unseen(const Workload& workload, CheckContext& context) {
  if (!workload.is("batch.volcano.sh", "Job") || workload.gpu_pods() == 0) return;
  const View of_job = policy_for_failed(workload.spec);
  for (const WorkloadRole& role : workload.roles) {
    const View restart = get(role.pod.spec, "restartPolicy");
    const std::string_view word = string_of(restart);
    if (word != "OnFailure" && word != "Always") continue;
    const View of_task = policy_for_failed(role.holder);
    const View unseen = of_task ? of_task : of_job ? of_job : get(workload.spec, "maxRetry");
    if (!unseen) continue;
    context
        .lint(restart,
              "the kubelet starts a failed container again in its pod, for ever: the pod never "
              "fails")
        .also(context.place(unseen), "what counts failed pods, and never sees one");
    return;
  }
}

/// Whether the pods of a role wait for each other, each under a rank that is its own for good.
bool has_fixed_ranks(const WorkloadRole& role) {
  return waits_for_all(role) && std::ranges::none_of(role.containers, [](View container) {
           return joins_by_order(container);
         });
}

/// The runtimes that come with Trainer have no limit either, and a TrainJob cannot set one.
bool is_of_trainer(const WorkloadRole& role) {
  const View labels = get(get(get(role.holder, "template"), "metadata"), "labels");
  return static_cast<bool>(get(labels, "trainer.kubeflow.org/trainjob-ancestor-step"));
}

void one_rank_alone(const Workload& workload, CheckContext& context) {
  if (!workload.is("jobset.x-k8s.io", "JobSet") || workload.gpu_pods() < 2) return;
  if (is_elastic(workload)) return;
  for (const WorkloadRole& role : workload.roles) {
    const View job = get(get(role.holder, "template"), "spec");
    const View limit = get(job, "backoffLimit");
    const bool decides_itself = get(job, "podFailurePolicy") || get(job, "backoffLimitPerIndex");
    if (!job || is_of_trainer(role) || decides_itself || role.is_launcher ||
        role.devices().all() == 0)
      continue;
    if (integer_of(limit) == 0 || (limit && !integer_of(limit))) continue;
    if (string_at(role.pod.spec, "restartPolicy") == "OnFailure" || !has_fixed_ranks(role))
      continue;
    const std::string times = limit ? std::string(limit->text) : "6";
    context.lint(limit ? limit : job, "a failed rank is replaced alone, up to " + times + " times" +
                                          (limit ? "" : " as `backoffLimit` is 6 by default") +
                                          ", while the others wait for the one that is gone");
    return;
  }
}

constexpr Check kChecks[] = {
    {.name = "pods-run-on",
     .group = CheckGroup::Training,
     .effect = Effect::RunsWrong,
     .stage = Stage::Preview,
     .on = "workload",
     .sentence = "The pods of a training job end with it.",
     .source = "kubeflow/training-operator pkg/apis/kubeflow.org/v1/*_defaults.go: cleanPodPolicy "
               "None; pkg/controller.v1/common/job.go DeletePodsAndServices; kubeflow/trainer "
               "issue 1579",
     .workload = pods_run_on,
     .severity = Severity::Warning,
     .because = "Ranks that wait for a failed one, and parameter servers, hold their nodes until "
                "a user deletes the job.",
     .fix = "set `runPolicy.cleanPodPolicy: Running`: what has ended keeps its log"},
    {.name = "failures-unseen",
     .group = CheckGroup::Training,
     .effect = Effect::RunsWrong,
     .stage = Stage::Preview,
     .on = "workload",
     .sentence =
         "Pods of a Volcano Job fail where its policies or its limit of retries count on it.",
     .source = "volcano-sh/volcano pkg/controllers/job/job_controller_handler.go: PodFailed; "
               "issue 1099",
     .workload = failures_unseen,
     .severity = Severity::Warning,
     .because = "Neither `maxRetry` nor a policy for `PodFailed` ever counts, and the job hangs.",
     .fix = "write `restartPolicy: Never`, and a policy for `PodFailed`"},
    {.name = "one-rank-alone",
     .group = CheckGroup::Training,
     .effect = Effect::RunsWrong,
     .stage = Stage::Preview,
     .on = "workload",
     .sentence = "Ranks of a JobSet that need each other start again together.",
     .source = "kubernetes-sigs/jobset pkg/controllers/failure_policy.go; issues 976 and 1129; "
               "kubernetes/kubernetes pkg/apis/batch/v1/defaults.go: backoffLimit 6",
     .workload = one_rank_alone,
     .severity = Severity::Warning,
     .because = "A new rank cannot join a collective that has begun: the others hang in it until "
                "their time-out, once for each retry, before `failurePolicy` counts.",
     .fix = "set `backoffLimit: 0` in the Job"},
};

}  // namespace

const std::span<const Check> after_failure_lints = kChecks;

}  // namespace trainyard
