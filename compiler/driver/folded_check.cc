#include "driver/folded_check.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "check/objects.h"
#include "check/read.h"
#include "effective/train_job.h"

namespace trainyard {
namespace {

/// What has been reported before anything was folded: nothing is to be said again of the same text,
/// nor of what is in a text that is an error as a whole.
class SpokenPlaces {
 public:
  explicit SpokenPlaces(const Sink& sink) {
    for (const Diagnostic& each : sink.all()) {
      if (!each.span.known()) continue;
      places_[each.span.file].push_back({each.span, each.severity == Severity::Error});
    }
  }

  bool covers(Span span) const {
    const auto file = places_.find(span.file);
    if (file == places_.end()) return false;
    return std::ranges::any_of(file->second, [&](const Place& each) {
      const bool around = each.span.begin <= span.begin && span.end <= each.span.end;
      return each.span == span || (each.is_error && around);
    });
  }

 private:
  struct Place {
    Span span;
    bool is_error;
  };
  std::map<FileId, std::vector<Place>> places_;
};

std::string made_from(View train_job, View runtime) {
  const auto named = [](View object) {
    return std::string(string_at(object, "kind")) + " `" +
           std::string(string_at(get(object, "metadata"), "name")) + "`";
  };
  return "the Trainer makes this object from " + named(train_job) + " and " + named(runtime);
}

}  // namespace

bool is_folded(View object) {
  return string_at(object, "kind") == "TrainJob" &&
         string_at(object, "apiVersion").starts_with("trainer.kubeflow.org/");
}

void check_folded(Session& session, const std::vector<View>& train_jobs,
                  const Surroundings& surroundings) {
  if (train_jobs.empty() || surroundings.inventory == nullptr) return;
  const SpokenPlaces spoken(session.sink);
  std::set<std::tuple<FileId, std::uint32_t, std::string>> reported;
  for (View train_job : train_jobs) {
    const View runtime = find_runtime(train_job, *surroundings.inventory);
    if (!runtime) continue;
    Origins origins;
    ObjectSet made;
    Sink found;
    Maker maker(made.tree, origins);
    const FoldedTrainJob folded =
        fold_train_job(maker, {train_job, runtime, surroundings.versions, session.schemas}, found);
    if (folded.job_set == kNoNode) continue;
    made.add(folded.job_set);
    const Tree* const documents[] = {&train_job.tree(), &runtime.tree()};
    check_objects(made, session.schema_sources(), surroundings, origins, documents, found);
    for (Diagnostic each : found.all()) {
      if (!each.span.known() || spoken.covers(each.span)) continue;
      if (!reported.emplace(each.span.file, each.span.begin, each.message).second) continue;
      each.note(made_from(train_job, runtime));
      session.sink.report(std::move(each));
    }
  }
}

}  // namespace trainyard
