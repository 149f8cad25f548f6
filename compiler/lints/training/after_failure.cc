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
  if (workload.gpu_pods < 2) return;
  for (const WorkloadRole& role : workload.roles) {
    const View restart = get(role.holder, "restartPolicy");
    const std::string_view word = string_of(restart);
    if (word != "Never" && word != "ExitCode") continue;
    context
        .lint(clean ? clean : restart,
              "when one pod fails the job has failed, and the others keep their GPUs" +
                  by_default(clean),
              Severity::Note)
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
  if (!workload.is("batch.volcano.sh", "Job") || workload.gpu_pods == 0) return;
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

/// Whether something in a Volcano Job, or in one of its tasks, answers a failed pod.
bool answers_failures(View holder) {
  for (View policy : items_at(holder, "policies")) {
    if (get(policy, "exitCode")) return true;
    const auto answers = [](std::string_view event) {
      return event == "PodFailed" || event == "TaskFailed" || event == "*";
    };
    if (answers(string_at(policy, "event"))) return true;
    for (View event : items_at(policy, "events")) {
      if (answers(string_of(event))) return true;
    }
  }
  return false;
}

/// Whether the pods of a role have GPUs and wait for each other.
bool meets_with_gpus(const Workload& workload, const WorkloadRole& role) {
  if (role.is_launcher || role.devices.all() == 0) return false;
  return is_training_kind(workload) || waits_for_all(role);
}

/// Whether each of them has a rank that is its own for good, as far as its program shows.
bool has_fixed_ranks(const Workload& workload, const WorkloadRole& role) {
  if (!meets_with_gpus(workload, role)) return false;
  return std::ranges::none_of(role.containers, [](View container) {
    // ft_launcher starts ranks again in place: NVIDIA/nvidia-resiliency-ext
    return joins_by_order(container) || contains_text(container, "ft_launcher") ||
           (contains_text(container, "sleep") && !torchrun_call(container));
  });
}

/// volcano-sh/volcano pkg/controllers/job/state/running.go: without a policy the Job ends when all
/// its pods have.
void failed_pod_unanswered(const Workload& workload, CheckContext& context) {
  if (is_elastic(workload) || workload.gpu_pods < 2 || answers_failures(workload.spec)) return;
  for (const WorkloadRole& role : workload.roles) {
    const View restart = get(role.pod.spec, "restartPolicy");
    if (string_of(restart) != "Never" || answers_failures(role.holder)) continue;
    if (!meets_with_gpus(workload, role)) continue;
    context.lint(restart,
                 "when one pod fails, the others wait for it with their GPUs: no policy of the Job "
                 "answers `PodFailed`",
                 Severity::Note);
    return;
  }
}

/// Roles of a JobSet that never end by themselves, by their usual names.
bool is_server(std::string_view role) {
  return role == "ps" || role == "parameter-server" || role == "evaluator";
}

void servers_keep_job_set(const Workload& workload, CheckContext& context) {
  if (get(workload.spec, "successPolicy") || workload.roles.size() < 2) return;
  for (const WorkloadRole& role : workload.roles) {
    if (!is_server(role.name)) continue;
    const View job = get(get(role.holder, "template"), "spec");
    if (get(job, "activeDeadlineSeconds") || get(job, "successPolicy")) continue;
    context
        .lint(role.holder, pods_of(role) +
                               " never end by themselves, and the JobSet waits for them when the "
                               "others have ended")
        .note("set `successPolicy: {operator: All, targetReplicatedJobs: [...]}` with the others");
    return;
  }
}

void ends_with_job(const Workload& workload, CheckContext& context) {
  if (workload.is("batch.volcano.sh", "Job")) return failed_pod_unanswered(workload, context);
  if (workload.kind == "JobSet") return servers_keep_job_set(workload, context);
  pods_run_on(workload, context);
}

/// The runtimes that come with Trainer have no limit either, and a TrainJob cannot set one.
bool is_of_trainer(const WorkloadRole& role) {
  const View labels = get(get(get(role.holder, "template"), "metadata"), "labels");
  return static_cast<bool>(get(labels, "trainer.kubeflow.org/trainjob-ancestor-step"));
}

bool restarts_in_pod(View policy) {
  return string_of(policy) == "OnFailure" || string_of(policy) == "Always";
}

/// How a rank starts again without the others.
struct LoneRestart {
  View at;
  std::string how;  // empty for none
};

bool names_code(View exits, std::int64_t code) {
  const bool is_there = std::ranges::any_of(items_at(exits, "values"),
                                            [&](View each) { return integer_of(each) == code; });
  return is_there == (string_at(exits, "operator") == "In");
}

/// Whether a policy for failed pods ends the Job, or the index, when a rank ends with 1, as most
/// do: the first rule counts that takes the pod.
bool ends_job(View policy) {
  for (View rule : items_at(policy, "rules")) {
    const View exits = get(rule, "onExitCodes");
    if (!exits || !names_code(exits, 1)) continue;
    return string_at(rule, "action").starts_with("Fail");
  }
  return false;
}

LoneRestart restart_by_job(View job, const WorkloadRole& role) {
  const View of_index = get(job, "backoffLimitPerIndex");
  const View limit = of_index ? of_index : get(job, "backoffLimit");
  if (!job || ends_job(get(job, "podFailurePolicy")) || is_of_trainer(role)) return {};
  if (integer_of(limit) == 0 || (limit && !integer_of(limit))) return {};
  const std::string times = limit ? std::string(limit->text) : "6";
  const bool in_pod = restarts_in_pod(get(role.pod.spec, "restartPolicy"));
  return {limit ? limit : job, (in_pod ? "started again alone" : "replaced alone") +
                                   std::string(", up to ") + times + " times" +
                                   (limit ? "" : " as `backoffLimit` is 6 by default")};
}

LoneRestart restart_by_operator(const Workload& workload, const WorkloadRole& role) {
  const View policy = get(role.holder, "restartPolicy");
  const View limit = get(get(workload.spec, "runPolicy"), "backoffLimit");
  if (!restarts_in_pod(policy) || integer_of(limit) == 0) return {};
  const std::string times = limit ? ", up to " + std::string(limit->text) + " times"
                                  : ", for ever as `runPolicy.backoffLimit` is left out";
  return {policy, "started again alone" + times};
}

/// What a kind does with a rank that fails; for TensorFlow, whose workers may come back, and for
/// launchers, which start all ranks, nothing.
LoneRestart lone_restart(const Workload& workload, const WorkloadRole& role) {
  if (workload.is("batch", "Job")) return restart_by_job(workload.spec, role);
  if (workload.kind == "JobSet") {
    const View in_place = get(get(workload.spec, "failurePolicy"), "restartStrategy");
    if (string_of(in_place) == "InPlaceRestart") return {};
    return restart_by_job(get(get(role.holder, "template"), "spec"), role);
  }
  if (workload.is("batch.volcano.sh", "Job")) {
    const View policy = get(role.pod.spec, "restartPolicy");
    if (!restarts_in_pod(policy)) return {};
    return {policy, "started again alone, for ever as its pod never fails"};
  }
  if (workload.kind == "LeaderWorkerSet") {
    const View policy = get(get(workload.spec, "leaderWorkerTemplate"), "restartPolicy");
    if (string_of(policy) != "None") return {};
    return {policy, "started again alone, for ever"};
  }
  const bool has_static_ranks = workload.kind == "PyTorchJob" || workload.kind == "JAXJob" ||
                                workload.kind == "PaddleJob" || workload.kind == "XGBoostJob";
  return has_static_ranks ? restart_by_operator(workload, role) : LoneRestart();
}

void one_rank_alone(const Workload& workload, CheckContext& context) {
  if (workload.gpu_pods < 2 || is_elastic(workload)) return;
  for (const WorkloadRole& role : workload.roles) {
    if (!has_fixed_ranks(workload, role)) continue;
    const LoneRestart restart = lone_restart(workload, role);
    if (restart.how.empty()) continue;
    context.lint(restart.at, "a failed rank is " + restart.how +
                                 ", while the others wait for the one that is gone");
    return;
  }
}

/// Of the jobs whose ranks `one-rank-alone` leaves alone: those of TensorFlow, and ranks by order
/// of arrival. An elastic job is meant to come back.
void endless_retries(const Workload& workload, CheckContext& context) {
  if (string_at(workload.object, "apiVersion") != "kubeflow.org/v1") return;
  const View run = get(workload.spec, "runPolicy");
  if (get(run, "backoffLimit") || get(run, "activeDeadlineSeconds")) return;
  if (workload.kind == "MPIJob" || is_elastic(workload)) return;
  if (workload.gpu_pods < 2) return;
  for (const WorkloadRole& role : workload.roles) {
    const View policy = get(role.holder, "restartPolicy");
    if (!restarts_in_pod(policy) || role.devices.all() == 0) continue;
    if (has_fixed_ranks(workload, role) && !lone_restart(workload, role).how.empty()) return;
    context.lint(policy,
                 "a program that fails at once is started again for ever, and the job keeps its "
                 "GPUs");
    return;
  }
}

constexpr Check kChecks[] = {
    {.name = "pods-run-on",
     .group = CheckGroup::Training,
     .effect = Effect::RunsWrong,
     .stage = Stage::Preview,
     .sentence = "The pods of a training job end with it.",
     .source = "kubeflow/training-operator pkg/apis/kubeflow.org/v1/*_defaults.go: cleanPodPolicy "
               "None; pkg/controller.v1/common/job.go DeletePodsAndServices; kubeflow/trainer "
               "issue 1579; volcano-sh/volcano pkg/controllers/job/state/running.go; "
               "kubernetes-sigs/jobset pkg/controllers/success_policy.go",
     .workload = ends_with_job,
     .severity = Severity::Warning,
     .because = "Ranks that wait for a failed one, and parameter servers, hold their nodes until "
                "a user deletes the job.",
     .fix = "set `runPolicy.cleanPodPolicy: Running`, which keeps the logs of what has ended; in a "
            "Volcano Job write a policy for `PodFailed`"},
    {.name = "failures-unseen",
     .group = CheckGroup::Training,
     .effect = Effect::RunsWrong,
     .stage = Stage::Preview,
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
     .effect = Effect::Risky,
     .stage = Stage::Preview,
     .sentence = "Ranks that need each other start again together.",
     .source = "kubernetes-sigs/jobset pkg/controllers/failure_policy.go; issues 976 and 1129; "
               "kubernetes/kubernetes pkg/apis/batch/v1/defaults.go: backoffLimit 6; "
               "kubeflow/training-operator pkg/core/pod.go SetRestartPolicy; kubernetes-sigs/lws "
               "api/leaderworkerset/v1 RestartPolicyType",
     .workload = one_rank_alone,
     .severity = Severity::Note,
     .because = "A new rank cannot join a collective that has begun: the others hang in it until "
                "their time-out, once for each retry.",
     .fix = "set `backoffLimit: 0` or `restartPolicy: Never`, or start all ranks together: "
            "`failurePolicy` of a JobSet, a policy of a Volcano Job, target `jobset`, `trainjob` "
            "or `volcano` of a build"},
    {.name = "endless-retries",
     .group = CheckGroup::Training,
     .effect = Effect::Risky,
     .stage = Stage::Preview,
     .sentence = "A job with GPUs that fails at once ends after some retries.",
     .source = "kubeflow/training-operator pkg/controller.v1/common/job.go: backoffLimit has no "
               "default; volcano-sh/volcano issue 1099",
     .workload = endless_retries,
     .severity = Severity::Note,
     .because = "The kubelet waits five minutes at most between two starts, and the GPUs wait too.",
     .fix = "set `runPolicy.backoffLimit`, or `restartPolicy: Never`"},
};

}  // namespace

const std::span<const Check> after_failure_lints = kChecks;

}  // namespace trainyard
