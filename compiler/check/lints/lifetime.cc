// What remains of a job, and who puts it back.

#include <array>
#include <string>

#include "check/check.h"
#include "check/launch.h"
#include "check/read.h"
#include "check/tables.h"
#include "schema/words.h"
#include "spec/cluster.h"

namespace trainyard {
namespace {

View time_to_live(const Workload& workload) {
  const View own = get(workload.spec, "ttlSecondsAfterFinished");
  if (own) return own;
  const View policy = get(get(workload.spec, "runPolicy"), "ttlSecondsAfterFinished");
  return policy;
}

/// By whose marks one sees that a controller keeps an object as it is in Git.
constexpr auto kGitOpsKeys = std::to_array<std::string_view>({
    "argocd.argoproj.io/tracking-id",
    "argocd.argoproj.io/instance",
    "argocd.argoproj.io/sync-wave",
    "argocd.argoproj.io/sync-options",
    "argocd.argoproj.io/compare-options",
    "kustomize.toolkit.fluxcd.io/name",
    "kustomize.toolkit.fluxcd.io/reconcile",
    "kustomize.toolkit.fluxcd.io/force",
    "helm.toolkit.fluxcd.io/name",
});

View gitops_mark(View metadata) {
  for (std::string_view field : {"annotations", "labels"}) {
    for (View entry : entries_at(metadata, field)) {
      for (std::string_view key : kGitOpsKeys) {
        if (entry->key == key) return entry;
      }
    }
  }
  return {};
}

/// A hook is run once per sync, and not put back.
bool is_hook(View metadata) {
  const View annotations = get(metadata, "annotations");
  return get(annotations, "argocd.argoproj.io/hook") || get(annotations, "helm.sh/hook") ||
         string_at(annotations, "kustomize.toolkit.fluxcd.io/ssa") == "IfNotPresent" ||
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
  context
      .lint(ttl, "the object goes " + std::string(ttl->text) +
                     " s after the job's end, and is put back from Git: the job runs again and "
                     "again")
      .also(mark ? context.place(mark) : cluster->spec->gitops.span,
            mark ? "kept as it is in Git" : "objects of this Cluster are kept as they are in Git");
}

void workers_stay(const Workload& workload, CheckContext& context) {
  if (string_at(workload.object, "apiVersion") != "kubeflow.org/v2beta1") return;
  const View policy = get(workload.spec, "runPolicy");
  const View clean = get(policy, "cleanPodPolicy");
  const WorkloadRole* workers = workload.role("Worker");
  if (workers == nullptr || workers->devices().all() == 0) return;
  if (clean && clean->text != "None") return;
  if (get(policy, "ttlSecondsAfterFinished")) return;
  context.lint(clean ? clean : workers->holder,
               pods_of(*workers) + " keep their GPUs when the launcher has ended" +
                   (clean ? std::string() : ": `runPolicy.cleanPodPolicy` is `None` by default"));
}

/// What counts for an index are its failed pods, of which there are none when containers are
/// restarted in their pod.
void retries_per_index(const Job& job, CheckContext& context) {
  const View limit = get(job.spec, "backoffLimitPerIndex");
  if (!limit || job.restart_policy() != "OnFailure") return;
  context.lint(limit,
               "a limit for each index counts failed pods, and with `restartPolicy: OnFailure` "
               "their containers are started again in the same pod");
}

constexpr Check kChecks[] = {
    {.name = "retries-per-index",
     .on = "job",
     .sentence = "A Job with a limit of retries for each index has pods that fail.",
     .source =
         "kubernetes/website content/en/docs/concepts/workloads/controllers/job.md, backoff "
         "limit per index; kubernetes/enhancements keps/sig-apps/3850-backoff-limits-per-index",
     .job = retries_per_index,
     .severity = Severity::Warning,
     .because = "The limit is never reached, and an index that cannot succeed is tried for ever.",
     .fix = "set `restartPolicy: Never`"},
    {.name = "ttl-with-gitops",
     .on = "workload",
     .sentence = "A job that is kept as it is in Git does not delete itself.",
     .source = "kubernetes/kubernetes pkg/controller/ttlafterfinished; argoproj/argo-cd docs, "
               "automated sync and self heal",
     .workload = ttl_with_gitops,
     .severity = Severity::Warning,
     .because = "What is in Git and not in the cluster is made again: the training starts from "
                "the beginning after each deletion.",
     .fix = "leave out the ttl, or make the job a hook (`argocd.argoproj.io/hook: Sync`)"},
    {.name = "mpi-workers-stay",
     .on = "workload",
     .sentence = "Workers of an MPIJob give their GPUs back when it has ended.",
     .source = "kubeflow/mpi-operator pkg/apis/kubeflow/v2beta1/default.go: cleanPodPolicy None",
     .workload = workers_stay,
     .severity = Severity::Warning,
     .because = "Workers run sshd, which does not end by itself.",
     .fix = "set `runPolicy.cleanPodPolicy: Running`"},
};

}  // namespace

const std::span<const Check> lifetime_lints = kChecks;

}  // namespace trainyard
