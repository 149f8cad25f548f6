#include "live/apply/make_plan.h"

#include <unordered_set>
#include <utility>

#include "cluster/api/api_paths.h"
#include "cluster/api/calls.h"

namespace trainyard {
namespace {

class PlanMaker {
 public:
  PlanMaker(Transport& transport, const Discovery& discovery, const std::vector<WantedSet>& sets,
            const PlanOptions& options)
      : transport_(transport), discovery_(discovery), sets_(sets), options_(options) {
    made_.plan.kinds = &options.kinds;
  }

  MadePlan make() {
    std::vector<const WantedObject*> objects;
    for (const WantedSet& set : sets_) {
      for (const WantedObject& object : set.objects) objects.push_back(&object);
    }
    Observation observation =
        observe(transport_, discovery_, objects, options_.name_space, options_.force);
    made_.error = observation.error;
    if (made_.error) return std::move(made_);
    std::size_t next = 0;
    for (const WantedSet& set : sets_) {
      created_.clear();
      for (const WantedObject& object : set.objects) take(set, object, observation.objects[next++]);
    }
    read_records();
    if (!made_.error && options_.prune) find_deleted();
    return std::move(made_);
  }

 private:
  void take(const WantedSet& set, const WantedObject& object, const Observed& observed) {
    PlannedObject planned = judge(options_.kinds, set, object, observed, created_);
    if (observed.live == nullptr || planned.awaits_end) created_.push_back(object.name);
    wanted_.insert(key_of(object.api_version, planned.kind, planned.name_space, planned.name));
    made_.plan.objects.push_back(std::move(planned));
  }

  void read_records() {
    std::vector<Request> requests;
    for (const WantedSet& set : sets_) {
      if (set.name.empty() || set.name_space.empty()) continue;
      requests.push_back(
          get_call(config_maps_resource(), set.name_space, applied_set_name(set.name)));
    }
    for (Answer& answer : transport_.send_all(std::move(requests))) {
      const auto error = error_of(answer);
      if (error && !error->is_not_found()) made_.error = error;
      if (error) continue;
      const JsonAnswer record = JsonDocument::read(std::move(answer.body));
      auto set = record == nullptr ? std::nullopt : read_applied_set(record->root());
      if (set) made_.before.push_back(std::move(*set));
    }
  }

  /// What a record lists, and the specs no longer ask for.
  void find_deleted() {
    std::vector<std::pair<const AppliedSet*, const AppliedObject*>> gone;
    std::vector<Request> requests;
    for (const AppliedSet& set : made_.before) {
      for (const AppliedObject& object : set.objects) {
        const ApiResource* resource = discovery_.find(object.api_version, object.kind);
        if (is_wanted(object) || resource == nullptr) continue;
        gone.emplace_back(&set, &object);
        requests.push_back(get_call(*resource, object.name_space, object.name));
      }
    }
    std::vector<Answer> answers = transport_.send_all(std::move(requests));
    for (std::size_t i = 0; i < gone.size(); ++i) {
      if (const auto error = error_of(answers[i])) {
        if (!error->is_not_found()) made_.error = error;
        continue;
      }
      const JsonAnswer live = JsonDocument::read(std::move(answers[i].body));
      if (live != nullptr) remove(*gone[i].first, *gone[i].second, live->root());
    }
  }

  /// With the group: a Job of Volcano is none of Kubernetes.
  static std::string key_of(std::string_view api_version, std::string_view kind,
                            std::string_view ns, std::string_view name) {
    const std::size_t slash = api_version.find('/');
    const std::string_view group =
        slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
    return std::string(group) + "/" + std::string(kind) + "/" + std::string(ns) + "/" +
           std::string(name);
  }

  bool is_wanted(const AppliedObject& object) const {
    return wanted_.contains(
        key_of(object.api_version, object.kind, object.name_space, object.name));
  }

  /// Only the very object that was applied, while it still says that it is of the set.
  void remove(const AppliedSet& set, const AppliedObject& object, View live) {
    const View metadata = live["metadata"];
    const std::string name = object.kind + "/" + object.name;
    // An apply that was interrupted did not come to know the UID.
    const bool is_the_one = object.uid.empty() || metadata["uid"].text() == object.uid;
    if (!is_the_one || !is_member(live, set)) {
      made_.told.push_back(name + " is kept: another client made or marked it again");
    } else if (object.kind == "PersistentVolumeClaim") {
      made_.told.push_back(name + " is kept, for it holds data; `trainyard delete` removes it");
    } else {
      PlannedObject planned;
      planned.kind = object.kind;
      planned.name = object.name;
      planned.name_space = object.name_space;
      planned.uid = metadata["uid"].text();
      planned.resource = discovery_.find(object.api_version, object.kind);
      note_job(options_.kinds, live, planned);
      planned.action = Action::Delete;
      planned.because = "the spec no longer asks for it";
      made_.plan.objects.push_back(std::move(planned));
    }
  }

  Transport& transport_;
  const Discovery& discovery_;
  const std::vector<WantedSet>& sets_;
  const PlanOptions& options_;
  std::vector<std::string> created_;  // of this set
  std::unordered_set<std::string> wanted_;
  MadePlan made_;
};

}  // namespace

MadePlan make_plan(Transport& transport, const Discovery& discovery,
                   const std::vector<WantedSet>& sets, const PlanOptions& options) {
  return PlanMaker(transport, discovery, sets, options).make();
}

}  // namespace trainyard
