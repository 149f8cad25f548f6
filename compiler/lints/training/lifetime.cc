// Which failures end a job, what remains of it, and who puts it back.

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "lints/training/endless_program.h"
#include "manifest/job.h"
#include "manifest/launch.h"
#include "shell/command_line.h"
#include "shell/script_commands.h"
#include "shell/shell_words.h"
#include "source/word_table.h"
#include "spec/cluster.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

View time_to_live(const Workload& workload) {
  const View own = get(workload.spec, "ttlSecondsAfterFinished");
  if (own) return own;
  const View policy = get(get(workload.spec, "runPolicy"), "ttlSecondsAfterFinished");
  return policy;
}

/// By whose marks one sees that a controller keeps an object as it is in Git.
constexpr auto kGitOpsKeys = word_table<
    "argocd.argoproj.io/tracking-id argocd.argoproj.io/instance argocd.argoproj.io/sync-wave "
    "argocd.argoproj.io/sync-options argocd.argoproj.io/compare-options "
    "kustomize.toolkit.fluxcd.io/name kustomize.toolkit.fluxcd.io/reconcile "
    "kustomize.toolkit.fluxcd.io/force kustomize.toolkit.fluxcd.io/prune "
    "kustomize.toolkit.fluxcd.io/ssa helm.toolkit.fluxcd.io/name">;

View gitops_mark(View metadata) {
  for (std::string_view field : {"annotations", "labels"}) {
    for (View entry : entries_at(metadata, field)) {
      for (std::string_view key : kGitOpsKeys) {
        if (entry.key() == key) return entry;
      }
    }
  }
  return {};
}

/// A hook is run once per sync, and not put back.
bool is_hook(View metadata) {
  const View annotations = get(metadata, "annotations");
  return get(annotations, "argocd.argoproj.io/hook") || get(annotations, "helm.sh/hook") ||
         string_at(annotations, "kustomize.toolkit.fluxcd.io/reconcile") == "disabled";
}

void ttl_with_gitops(const Workload& workload, CheckContext& context) {
  const View ttl = time_to_live(workload);
  if (!ttl || workload.kind == "CronJob") return;
  const View metadata = get(workload.object, "metadata");
  if (is_hook(metadata)) return;
  const View mark = gitops_mark(metadata);
  const Cluster* cluster = context.cluster();
  const bool stated = cluster != nullptr && cluster->spec->gitops.given();
  if (!mark && !stated) return;
  // A mark alone does not say that the object is synced, nor that Argo CD heals.
  context
      .lint(ttl,
            "the object goes " + std::string(ttl->text) +
                " s after the job's end, and is put back from Git: the job runs again and again",
            stated ? Severity::Warning : Severity::Note)
      .also(mark ? context.place(mark) : cluster->spec->gitops.span,
            mark ? "kept as it is in Git" : "objects of this Cluster are kept as they are in Git");
}

/// What a JobSet waits for: kubernetes-sigs/jobset pkg/controllers/success_policy.go, and all of it
/// by default (pkg/webhooks/jobset_webhook.go).
bool job_set_waits_for(View job_set_spec, const WorkloadRole& role) {
  const View policy = get(job_set_spec, "successPolicy");
  if (string_at(policy, "operator") == "Any") return false;
  const View targets = get(policy, "targetReplicatedJobs");
  if (!has_items(targets)) return true;
  const Items names(targets);
  return std::any_of(names.begin(), names.end(),
                     [&](View name) { return string_of(name) == role.name; });
}

/// Whether the JobSet goes on when the Jobs of this role have ended.
bool outlived_by_job_set(const Workload& workload, const WorkloadRole& role) {
  const View policy = get(workload.spec, "successPolicy");
  const bool any = string_at(policy, "operator") == "Any";
  return std::ranges::any_of(workload.roles, [&](const WorkloadRole& other) {
    return other.name != role.name && !any && job_set_waits_for(workload.spec, other);
  });
}

/// kubernetes-sigs/jobset pkg/controllers/jobset_controller.go shouldCreateJob: a Job that is not
/// there is made, whatever has become of it before.
void jobs_come_back(const Workload& workload, CheckContext& context) {
  if (workload.kind != "JobSet") return;
  for (const WorkloadRole& role : workload.roles) {
    const View ttl = get(get(get(role.holder, "template"), "spec"), "ttlSecondsAfterFinished");
    if (!integer_of(ttl) || !outlived_by_job_set(workload, role)) continue;
    context.lint(ttl, "a Job of " + shown(role.name) + " is deleted " + std::string(ttl->text) +
                          " s after its end, and the JobSet makes it again while the others run");
  }
}

bool starts_ranks(const WorkloadRole& role) {
  return std::ranges::any_of(role.containers,
                             [](View container) { return mpirun_call(container) != nullptr; });
}

/// The workers of a launcher in a JobSet, which ends when they do.
void workers_keep_job_set(const Workload& workload, CheckContext& context) {
  const auto launcher = std::ranges::find_if(workload.roles, starts_ranks);
  if (launcher == workload.roles.end()) return;
  for (const WorkloadRole& role : workload.roles) {
    const View job = get(get(role.holder, "template"), "spec");
    if (starts_ranks(role) || !job_set_waits_for(workload.spec, role)) continue;
    if (get(job, "activeDeadlineSeconds") || get(job, "successPolicy") ||
        get(role.pod.spec, "activeDeadlineSeconds")) {
      continue;
    }
    for (View container : role.containers) {
      const View at = runs_for_good(container);
      if (!at) continue;
      context
          .lint(at, "the pods of " + shown(role.name) +
                        " never end by themselves, and the JobSet " + "waits for them when " +
                        shown(launcher->name) + " has ended")
          .note("`successPolicy: {operator: All, targetReplicatedJobs: [" +
                std::string(launcher->name) + "]}` lets it complete");
      break;
    }
  }
}

void workers_stay(const Workload& workload, CheckContext& context) {
  if (workload.kind == "JobSet") return workers_keep_job_set(workload, context);
  if (string_at(workload.object, "apiVersion") != "kubeflow.org/v2beta1") return;
  const View policy = get(workload.spec, "runPolicy");
  const View clean = get(policy, "cleanPodPolicy");
  const WorkloadRole* workers = workload.role("Worker");
  if (workers == nullptr || workers->devices.all() == 0) return;
  if (clean && clean->text != "None") return;
  if (get(policy, "ttlSecondsAfterFinished")) return;
  context.lint(clean ? clean : workers->holder,
               pods_of(*workers) + (workers->pods == 1 ? " keeps its GPUs" : " keep their GPUs") +
                   " when the launcher has ended" +
                   (clean ? std::string() : ": `runPolicy.cleanPodPolicy` is `None` by default"));
}

/// kubeflow/training-operator pkg/controller.v1/pytorch/pytorchjob_controller.go UpdateJobStatus:
/// the job ends with the pod of the master, or with those of the workers where there is none.
void restarted_when_done(const Workload& workload, CheckContext& context) {
  if (!workload.is("kubeflow.org", "PyTorchJob")) return;
  const WorkloadRole* last = workload.role("Master");
  if (last == nullptr) last = workload.role("Worker");
  const View policy = last == nullptr ? View() : get(last->holder, "restartPolicy");
  if (string_of(policy) != "Always") return;
  context.lint(policy, "the containers of " + shown(last->name) +
                           " are started again when the training has ended: the job never ends");
}

/// What containers end with that are stopped: by SIGTERM, or by SIGKILL when that was not enough.
constexpr auto kStopped = std::to_array<std::int64_t>({143, 137});

/// The code of a stopped container that a rule about exit codes matches.
std::optional<std::int64_t> matched_stop(View rule) {
  const View exits = get(rule, "onExitCodes");
  const std::string_view op = string_at(exits, "operator");
  const View values = get(exits, "values");
  if (!values || !values->is_seq() || (op != "In" && op != "NotIn")) return std::nullopt;
  for (std::int64_t code : kStopped) {
    bool listed = false;
    for (View value : items_at(exits, "values")) listed |= integer_of(value) == code;
    if (listed == (op == "In")) return code;
  }
  return std::nullopt;
}

bool ends(std::string_view action) {
  return action == "FailJob" || action == "FailIndex";
}

bool spares_disruptions(View rule) {
  const std::string_view action = string_at(rule, "action");
  if (action != "Ignore" && action != "Count") return false;
  const auto conditions = items_at(rule, "onPodConditions");
  return std::ranges::any_of(conditions, [](View condition) {
    return string_at(condition, "type") == "DisruptionTarget" &&
           string_at(condition, "status") != "False";
  });
}

void disruptions_first(const Job& job, CheckContext& context) {
  View final;  // the first rule that ends the job for a stopped container
  std::int64_t code = 0;
  for (View rule : items_at(get(job.spec, "podFailurePolicy"), "rules")) {
    if (final && spares_disruptions(rule)) {
      context
          .lint(final, "ends the job for a pod that is preempted or evicted, which ends with " +
                           std::to_string(code))
          .also(context.place(rule), "this rule would spare it, and is never asked");
      return;
    }
    const auto stop = matched_stop(rule);
    if (!final && stop && ends(string_at(rule, "action"))) {
      final = rule;
      code = *stop;
    }
  }
}

View sidecar_of(const Job& job) {
  const View pod = get(get(job.spec, "template"), "spec");
  for (View container : items_at(pod, "initContainers")) {
    if (string_at(container, "restartPolicy") == "Always") return container;
  }
  return {};
}

void codes_of_sidecars(const Job& job, CheckContext& context) {
  const View sidecar = sidecar_of(job);
  if (!sidecar) return;
  for (View rule : items_at(get(job.spec, "podFailurePolicy"), "rules")) {
    const View exits = get(rule, "onExitCodes");
    const auto stop = matched_stop(rule);
    if (!stop || get(exits, "containerName")) continue;
    context
        .lint(exits, "the exit code of any container counts, and the sidecar ends with " +
                         std::to_string(*stop) + " whenever the others have ended")
        .also(context.place(sidecar), "the sidecar");
  }
}

/// What counts for an index are its failed pods. There are none when containers are
/// restarted in their pod.
void retries_per_index(const Job& job, CheckContext& context) {
  const View limit = get(job.spec, "backoffLimitPerIndex");
  if (!limit || job.restart_policy() != "OnFailure") return;
  context.lint(limit,
               "a limit for each index counts failed pods, and with `restartPolicy: OnFailure` "
               "their containers are started again in the same pod");
}

/// Nought seconds have passed as soon as the Job begins; it does not mean that there is no limit.
void no_time_at_all(const Job& job, CheckContext& context) {
  const View limit = get(job.spec, "activeDeadlineSeconds");
  if (integer_of(limit) != 0) return;
  context.lint(limit, "a Job with 0 seconds of time has failed as soon as it begins");
}

/// The seconds of the longest `sleep` in a command, where they are written down.
std::int64_t longest_sleep(View exec) {
  std::int64_t longest = 0;
  const ShellWords words = argument_words(arguments_of(exec));
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (program_name(words[i].text) != "sleep") continue;
    longest = std::max(longest, value_at(words, i).number().value_or(0));
  }
  return longest;
}

/// kubernetes/kubernetes pkg/kubelet/kuberuntime/kuberuntime_container.go
/// executePreStopHook: what the hook takes is taken from the grace period.
void stopped_in_time(const Pod& pod, CheckContext& context) {
  constexpr std::int64_t kDefault = 30;
  const View grace = get(pod.spec, "terminationGracePeriodSeconds");
  const std::int64_t seconds = integer_of(grace).value_or(kDefault);
  for (const PodContainer& container : pod.containers) {
    const View hook = get(get(get(container.node, "lifecycle"), "preStop"), "exec");
    const std::int64_t sleeps = longest_sleep(hook);
    if (sleeps == 0 || sleeps < seconds) continue;
    Diagnostic& found = context.lint(
        get(hook, "command"), "the hook sleeps " + std::to_string(sleeps) + " s, and the pod has " +
                                  std::to_string(seconds) + " s to end" +
                                  (grace ? ""
                                         : ", as `terminationGracePeriodSeconds` is 30 where "
                                           "it is left out"));
    if (grace) found.also(context.place(grace), "all the time that it has");
  }
}

/// `while true; do ...`, without a way out of it.
bool loops_for_good(View container) {
  const auto has = [&](std::string_view part) { return contains_text(container, part); };
  if (!has("while true") && !has("while :")) return false;
  return !has("break") && !has("exit") && !has("exec ") && !has("return");
}

/// With `restartPolicy: Always` it is a sidecar, and the others do not wait for its end.
void init_without_end(const Pod& pod, CheckContext& context) {
  for (View container : items_at(pod.spec, "initContainers")) {
    if (string_at(container, "restartPolicy") == "Always") continue;
    if (!runs_for_good(container) && !loops_for_good(container)) continue;
    context.lint(get(container, "name"), "init container " + shown(string_at(container, "name")) +
                                             " never ends, and the others wait for its end");
  }
}

constexpr Check kChecks[] = {
    {.name = "init-without-end",
     .group = CheckGroup::Core,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "An init container ends.",
     .source = "kubernetes/website content/en/docs/concepts/workloads/pods/init-containers.md",
     .pod = init_without_end,
     .severity = Severity::Warning,
     .because = "The kubelet starts the containers of a pod when its init containers have ended.",
     .fix = "set `restartPolicy: Always`, which makes it a sidecar"},
    {.name = "restarted-when-done",
     .group = CheckGroup::Training,
     .effect = Effect::RunsWrong,
     .sentence = "The pods with which a PyTorchJob ends are not started again.",
     .source = "kubeflow/training-operator pkg/controller.v1/pytorch/pytorchjob_controller.go "
               "UpdateJobStatus; pkg/core/pod.go SetRestartPolicy",
     .workload = restarted_when_done,
     .severity = Severity::Warning,
     .because = "The kubelet starts a container again that has ended well: its pod never succeeds, "
                "and the training runs again and again.",
     .fix = "set `restartPolicy: OnFailure`"},
    {.name = "jobs-come-back",
     .group = CheckGroup::Training,
     .effect = Effect::RunsWrong,
     .sentence = "Jobs of a JobSet stay until it has ended.",
     .source = "kubernetes-sigs/jobset pkg/controllers/jobset_controller.go shouldCreateJob",
     .workload = jobs_come_back,
     .severity = Severity::Warning,
     .because = "A Job that has been deleted is one that is missing: it runs again from the start.",
     .fix = "set `ttlSecondsAfterFinished` of the JobSet itself"},
    {.name = "stopped-in-time",
     .group = CheckGroup::Core,
     .effect = Effect::RunsWrong,
     .sentence = "What containers do before they are stopped fits into the grace period.",
     .source = "kubernetes/kubernetes pkg/kubelet/kuberuntime/kuberuntime_container.go "
               "executePreStopHook",
     .pod = stopped_in_time,
     .severity = Severity::Warning,
     .because = "The hook is cut off and the program killed at the end of the grace period: the "
                "last checkpoint is not written.",
     .fix = "let `terminationGracePeriodSeconds` be longer than the hook and the checkpoint"},
    {.name = "disruptions-first",
     .group = CheckGroup::Core,
     .effect = Effect::RunsWrong,
     .sentence = "A pod failure policy spares disrupted pods before it looks at exit codes.",
     .source =
         "kubernetes/kubernetes pkg/controller/job/pod_failure_policy.go matchPodFailurePolicy",
     .job = disruptions_first,
     .severity = Severity::Warning,
     .because = "The first rule that matches decides, and a pod that the cluster stops ends with "
                "the code of the signal.",
     .fix = "put the rule on `DisruptionTarget` in front"},
    {.name = "codes-of-sidecars",
     .group = CheckGroup::Core,
     .effect = Effect::RunsWrong,
     .sentence = "A pod failure policy looks at the exit codes of the program and not at those of "
                 "sidecars.",
     .source = "kubernetes/kubernetes pkg/controller/job/pod_failure_policy.go matchOnExitCodes",
     .job = codes_of_sidecars,
     .severity = Severity::Warning,
     .because = "Without a name a rule matches any container of the pod, and sidecars are stopped "
                "by a signal when the program has ended, however it did.",
     .fix = "name the container of the program in `containerName`"},
    {.name = "retries-per-index",
     .group = CheckGroup::Core,
     .effect = Effect::RunsWrong,
     .sentence = "A Job with a limit of retries for each index has pods that fail.",
     .source =
         "kubernetes/website content/en/docs/concepts/workloads/controllers/job.md, backoff "
         "limit per index; kubernetes/enhancements keps/sig-apps/3850-backoff-limits-per-index",
     .job = retries_per_index,
     .severity = Severity::Warning,
     .because = "The limit is never reached, and an index that cannot succeed is tried for ever.",
     .fix = "set `restartPolicy: Never`"},
    {.name = "no-time",
     .group = CheckGroup::Core,
     .effect = Effect::NeverRuns,
     .sentence = "A Job has time to run.",
     .source = "kubernetes/kubernetes pkg/controller/job/job_controller.go pastActiveDeadline",
     .job = no_time_at_all,
     .because = "A limit of 0 is a limit, which has passed at once.",
     .fix = "leave `activeDeadlineSeconds` out for a Job without a limit"},
    {.name = "ttl-with-gitops",
     .group = CheckGroup::GitOps,
     .effect = Effect::RunsWrong,
     .sentence = "A job that is kept as it is in Git does not delete itself.",
     .source = "kubernetes/kubernetes pkg/controller/ttlafterfinished; argoproj/argo-cd docs, "
               "automated sync and self heal",
     .workload = ttl_with_gitops,
     .severity = Severity::Warning,
     .because = "What is in Git and not in the cluster is made again: the training starts from "
                "the beginning after each deletion.",
     .fix = "leave out the ttl, and remove the job from Git when it has ended"},
    {.name = "mpi-workers-stay",
     .group = CheckGroup::Training,
     .effect = Effect::RunsWrong,
     .sentence = "Workers of MPI give their GPUs back when the launcher has ended.",
     .source = "kubeflow/mpi-operator pkg/apis/kubeflow/v2beta1/default.go: cleanPodPolicy None; "
               "kubernetes-sigs/jobset pkg/controllers/success_policy.go",
     .workload = workers_stay,
     .severity = Severity::Warning,
     .because = "Workers run sshd, which does not end by itself.",
     .fix = "set `runPolicy.cleanPodPolicy: Running`, or in a JobSet a `successPolicy` that names "
            "the launcher"},
};

}  // namespace

const std::span<const Check> lifetime_lints = kChecks;

}  // namespace trainyard
