#include <algorithm>
#include <array>
#include <string>

#include "check/check.h"
#include "check/missing_objects.h"
#include "diag/words.h"
#include "manifest/metadata.h"
#include "operators/kueue_queued_jobs.h"
#include "operators/tables.h"
#include "schema/names.h"
#include "tree/typed_fields.h"

// The queue of a job: that there is one, and that Kueue can admit the job from it.

namespace trainyard {
namespace {

using namespace kueue;

constexpr std::string_view kGroup = "kueue.x-k8s.io";

/// The priority class of a job: one that there can be, and that is among what is given.
void priority_exists(View priority, CheckContext& context) {
  if (string_of(priority).empty()) return;
  constexpr const char* note = "without it Kueue makes no Workload, and the job stays suspended";
  const std::string shown_class = "WorkloadPriorityClass " + shown(priority->text);
  if (const Fault name = why_not_subdomain(priority->text)) {
    context.warn(priority, "there can be no " + shown_class + ": the name " + *name).note(note);
  } else if (const MissingObject missing = missing_object(kGroup, "WorkloadPriorityClass", "",
                                                          priority, priority->text, context)) {
    Diagnostic& told =
        context.warn(priority, "there is no " + shown_class + " among those that are given");
    missing.label(told, context).note(note);
  }
}

void queue_exists(View object, CheckContext& context) {
  priority_exists(label(object, "kueue.x-k8s.io/priority-class"), context);
  const View queue = label(object, kQueueName);
  const std::string_view space = metadata_namespace(object);
  const MissingObject missing =
      missing_object(kGroup, "LocalQueue", space, queue, string_of(queue), context);
  if (!missing) return;
  Diagnostic& told =
      context.warn(queue, "there is no LocalQueue " + shown(queue->text) +
                              (space.empty() ? "" : " in namespace " + shown(space)) +
                              " among those that are given");
  missing.label(told, context).note("the job waits until there is one");
}

constexpr auto kQueuedWhole = std::to_array<std::string_view>(
    {"Job", "JobSet", "LeaderWorkerSet", "TrainJob", "PyTorchJob", "TFJob", "XGBoostJob",
     "PaddleJob", "JAXJob", "MPIJob", "RayCluster", "RayJob", "RayService"});

/// A label that was very likely meant to name the queue.
bool looks_like_queue(std::string_view key) {
  constexpr auto real = std::to_array<std::string_view>(
      {kQueueName, "kueue.x-k8s.io/local-queue-name", "kueue.x-k8s.io/cluster-queue-name"});
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos || !key.starts_with("kueue.")) return false;
  return key.substr(slash).find("queue") != std::string_view::npos &&
         std::ranges::find(real, key) == real.end();
}

void queue_key(View object, CheckContext& context) {
  if (is_queued(object)) return;
  for (View entry : entries_at(get(object, "metadata"), "labels")) {
    if (!looks_like_queue(entry.key())) continue;
    context.lint(entry, "Kueue does not know the label " + shown(entry.key()) +
                            "; the queue of a job stands in " + shown(kQueueName));
  }
  // Kueue 0.8 still reads it, as deprecated: pkg/controller/jobframework/interface.go.
  const View noted = get(get(get(object, "metadata"), "annotations"), kQueueName);
  if (string_of(noted).empty()) return;
  context.lint(noted, "the queue of a job stands in the label " + shown(kQueueName) +
                          "; Kueue ignores an annotation");
}

/// Kueue admits the job as a whole, by its own label.
void queue_on_pods(const Pod& pod, CheckContext& context) {
  const View object = context.object();
  const bool whole =
      std::ranges::find(kQueuedWhole, string_at(object, "kind")) != kQueuedWhole.end();
  if (!whole || is_queued(object)) return;
  const View at = get(get(pod.metadata, "labels"), kQueueName);
  // A RayCluster that scales itself is not queued as a whole, but its pods can be.
  if (string_of(at).empty() || is_true(get(get(object, "spec"), "enableInTreeAutoscaling"))) return;
  context.lint(
      at, "the label " + shown(kQueueName) + " stands on the pods, and the job itself has none");
}

constexpr Check kChecks[] = {
    {.name = "kueue-queue-exists",
     .group = CheckGroup::Queue,
     .effect = Effect::NeverRuns,
     .on = kQueued,
     .sentence = "The queue and the priority class of a job are there; else it is never admitted.",
     .source = "kubernetes-sigs/kueue pkg/controller/jobframework/reconciler.go",
     .object = queue_exists,
     .operators = kKueue},
    {.name = "kueue-queue-key",
     .group = CheckGroup::Queue,
     .effect = Effect::RunsWrong,
     .on = kQueued,
     .sentence = "The label that names the queue of a job is the one that Kueue reads.",
     .source = "kubernetes-sigs/kueue pkg/controller/constants/constants.go QueueLabel",
     .object = queue_key,
     .operators = kKueue,
     .severity = Severity::Warning,
     .because = "Without the label Kueue leaves the job alone: it starts at once, past all quotas.",
     .fix = "write `kueue.x-k8s.io/queue-name`"},
    {.name = "kueue-queue-on-pods",
     .group = CheckGroup::Queue,
     .effect = Effect::RunsWrong,
     .sentence = "The queue is named by the job, not by its pods.",
     .source = "kubernetes-sigs/kueue pkg/controller/jobframework/reconciler.go",
     .pod = queue_on_pods,
     .operators = kKueue,
     .severity = Severity::Warning,
     .because =
         "Kueue admits a job as a whole and looks at its own labels: the job starts at once, "
         "past all quotas, or its pods are queued one by one.",
     .fix = "put the label into the `metadata` of the job"},
};

}  // namespace

constinit const std::span<const Check> kueue_job_queue_checks = kChecks;

}  // namespace trainyard
