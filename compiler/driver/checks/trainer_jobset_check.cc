#include "driver/checks/trainer_jobset_check.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>

#include "check/check.h"
#include "check/check_selectors.h"
#include "check/objects.h"
#include "check/severity_list.h"
#include "driver/checks/file_scripts_check.h"
#include "driver/checks/reported_spans.h"
#include "driver/session/all_checks.h"
#include "driver/session/surroundings.h"
#include "effective/fold_train_job.h"
#include "lints/queue/queue_fit.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

std::string made_from(View train_job, View runtime) {
  const auto named = [](View object) {
    return std::string(string_at(object, "kind")) + " `" +
           std::string(string_at(get(object, "metadata"), "name")) + "`";
  };
  return "the Trainer makes this object from " + named(train_job) + " and " + named(runtime);
}

View annotation_of(View object) {
  const View annotation = get(get(get(object, "metadata"), "annotations"), kChecksAnnotation);
  return string_of(annotation).empty() ? View() : annotation;
}

/// The lint of pods that says of a container what this one says of fields of a TrainJob; "" for
/// none.
std::string_view twin_of(std::string_view name) {
  for (std::string_view end : {"-of-job", "-of-trainer"}) {
    const std::string_view twin =
        name.ends_with(end) ? name.substr(0, name.size() - end.size()) : "";
    if (!twin.empty() && find_check(twin) != nullptr) return twin;
  }
  return {};
}

/// The choices of an annotation that can be read: check `checks-annotation` reports the others
/// where they are written.
std::string readable_choices(View annotation) {
  std::string good;
  each_severity_override(string_of(annotation), [&](std::string_view name, std::string_view word) {
    SeverityOverride choice;
    if (selected(all_checks(), name).empty() || !parse_severity_override(word, choice)) return;
    const std::string_view twin = twin_of(name);
    if (!twin.empty()) good.insert(0, std::string(twin) + "=" + std::string(word) + ", ");
    good += std::string(name) + "=" + std::string(word) + ", ";
  });
  return good;
}

/// For the JobSet holds what the runtime asks for, then the template of its JobSet, then the
/// TrainJob: the last one counts.
void ask_for_severities(PodBuilder& maker, NodeId job_set, View train_job, View runtime) {
  const View asked[] = {annotation_of(runtime), annotation_of(maker.view(job_set)),
                        annotation_of(train_job)};
  View last;
  std::string choices;
  for (View annotation : asked) {
    if (!annotation) continue;
    choices += readable_choices(annotation);
    last = annotation;
  }
  if (!last) return;
  choices += last->text;  // what of it cannot be read is found again where it is written
  const NodeId metadata = maker.map_at(job_set, "metadata", kNoOrigin);
  const NodeId annotation = maker.copy(last);
  maker.tree[annotation].text = maker.tree.intern(choices);
  maker.put(maker.map_at(metadata, "annotations", kNoOrigin), kChecksAnnotation, annotation);
}

/// Kueue reads the queue of a TrainJob, and counts the pods of its JobSet:
/// kubernetes-sigs/kueue pkg/controller/jobs/trainjob/trainjob_controller.go
void check_queue(View train_job, View job_set, const CheckInputs& surroundings, Sink& found) {
  const Workload pods = read_workload(job_set, "jobset.x-k8s.io", "JobSet");
  CheckContext context(surroundings, found);
  context.start(train_job, {}, {});
  const Check* fits = wanted_check("fits-queue", surroundings);
  if (fits != nullptr && context.use(*fits)) check_queue_has(train_job, pods, context);
  const Check* topology = wanted_check("topology-of-queue", surroundings);
  if (topology != nullptr && context.use(*topology)) {
    check_topology_of_queue(train_job, pods, context);
  }
}

/// What has been said of the JobSet is not said again where its scripts stand in it.
void check_scripts(View job_set, const CheckInputs& surroundings, Sink& found) {
  const std::string name = "JobSet/" + std::string(string_at(get(job_set, "metadata"), "name"));
  Sink with_scripts;
  ask_with_scripts(job_set, name, surroundings, with_scripts);
  for (const Diagnostic& each : with_scripts.all()) {
    const bool is_said = std::ranges::any_of(
        found.all(), [&](const Diagnostic& said) { return said.message == each.message; });
    if (!is_said) found.report(each);
  }
}

}  // namespace

bool is_folded(View object) {
  return string_at(object, "kind") == "TrainJob" &&
         string_at(object, "apiVersion").starts_with("trainer.kubeflow.org/");
}

void check_folded(Session& session, const std::vector<View>& train_jobs,
                  const CheckInputs& surroundings) {
  if (train_jobs.empty() || surroundings.inventory == nullptr) return;
  const ReportedSpans spoken(session.sink);
  std::set<std::tuple<FileId, std::uint32_t, std::string>> reported;
  for (View train_job : train_jobs) {
    const View runtime = find_runtime(train_job, *surroundings.inventory);
    if (!runtime) continue;
    Origins origins;
    ObjectSet made;
    Sink found;
    PodBuilder maker(made.tree, origins);
    const FoldedTrainJob folded =
        fold_train_job(maker, {train_job, runtime, surroundings.versions, session.schemas}, found);
    if (folded.job_set == kNoNode) continue;
    ask_for_severities(maker, folded.job_set, train_job, runtime);
    made.add(folded.job_set);
    const Tree* const documents[] = {&train_job.tree(), &runtime.tree()};
    check_objects(made, session.schema_sources(), surroundings, origins, documents, found);
    const View job_set = maker.view(folded.job_set);
    check_queue(train_job, job_set, surroundings, found);
    check_scripts(job_set, surroundings, found);
    for (Diagnostic each : found.all()) {
      if (!each.span.known() || spoken.covers(each.span)) continue;
      if (!reported.emplace(each.span.file, each.span.begin, each.message).second) continue;
      each.note(made_from(train_job, runtime));
      session.sink.report(std::move(each));
    }
  }
}

}  // namespace trainyard
