#include "live/apply/write_plan.h"

#include <algorithm>
#include <set>
#include <utility>

#include "cluster/api/api_paths.h"
#include "cluster/api/calls.h"
#include "live/wait_gone.h"
#include "source/sha256.h"

namespace trainyard {
namespace {

class PlanWriter {
 public:
  PlanWriter(Transport& transport, const std::vector<WantedSet>& sets, const MadePlan& made,
             const WriteOptions& options, const std::function<void(const std::string&)>& tell)
      : transport_(transport), sets_(sets), made_(made), options_(options), tell_(tell) {}

  Written write() {
    for (const WantedSet& set : sets_) {
      if (!done() && has_record(set)) write_record(set, planned_record(set));
    }
    write_objects();
    for (const PlannedObject& object : made_.plan.objects) {
      if (!done() && object.action == Action::Delete) remove(object);
    }
    for (const WantedSet& set : sets_) {
      if (!done() && has_record(set)) write_record(set, final_record(set));
    }
    if (done()) note_left();
    return std::move(result_);
  }

 private:
  bool done() const { return result_.error.has_value() || result_.timed_out; }

  static bool has_record(const WantedSet& set) {
    return !set.name.empty() && !set.name_space.empty();
  }

  // ---- objects -------------------------------------------------------------------------------

  void note_left() {
    for (const PlannedObject& object : made_.plan.objects) {
      if (is_written(object.action) && !told_.contains(&object)) {
        result_.left.push_back(object.kind + "/" + object.name);
      }
    }
  }

  void tell(std::string_view word, const PlannedObject& object) {
    tell_(std::string(word) + " " + object.kind + "/" + object.name);
    told_.insert(&object);
  }

  /// In their order; those of one kind that stand together at the same time.
  void write_objects() {
    std::vector<const PlannedObject*> together;
    for (const PlannedObject& object : made_.plan.objects) {
      if (object.wanted == nullptr) continue;  // it goes
      if (!is_written(object.action)) {
        uids_[object.wanted] = object.uid;
        continue;
      }
      if (!together.empty() && !fit(*together.back(), object)) apply_all(together);
      if (object.action == Action::Replace && !done()) remove(object);
      if (object.awaits_end && !done()) await_end(object);
      together.push_back(&object);
    }
    apply_all(together);
  }

  static bool fit(const PlannedObject& a, const PlannedObject& b) {
    return a.kind == b.kind && !follows_another(a) && !follows_another(b);
  }
  static bool follows_another(const PlannedObject& object) {
    return object.action == Action::Replace || object.awaits_end;
  }

  static bool is_written(Action action) {
    return action != Action::Unchanged && action != Action::Refused && action != Action::Foreign;
  }

  static std::string_view done_word(Action action) {
    if (action == Action::Create) return "created";
    return action == Action::Replace ? "replaced" : "changed";
  }

  void apply_all(std::vector<const PlannedObject*>& together) {
    const std::vector<const PlannedObject*> objects = std::exchange(together, {});
    if (done()) return;
    std::vector<Request> requests;
    for (const PlannedObject* object : objects) {
      requests.push_back(apply_call(*object->resource, object->name_space, object->name,
                                    object->wanted->body, {.force = options_.force}));
      requests.back().accept = kMetadataOnly;  // only the UID is new
    }
    std::vector<Answer> answers = transport_.send_all(std::move(requests));
    for (std::size_t i = 0; i < objects.size(); ++i) {
      const PlannedObject& object = *objects[i];
      if (error_of(answers[i])) {
        if (!done()) failed(answers[i], object);
        continue;
      }
      if (has_record(*object.set)) take_uid(std::move(answers[i].body), object);
      tell(done_word(object.action), object);
    }
  }

  void take_uid(std::string answer, const PlannedObject& object) {
    const JsonAnswer applied = JsonDocument::read(std::move(answer));
    if (applied != nullptr) uids_[object.wanted] = applied->root()["metadata"]["uid"].text();
  }

  void remove(const PlannedObject& object) {
    const Answer answer =
        transport_.send(delete_call(*object.resource, object.name_space, object.name, object.uid));
    const auto error = error_of(answer);
    if (error && !error->is_not_found()) {
      failed(answer, object);
      return;
    }
    await_end(object);
    if (done()) return;
    if (object.action == Action::Delete) return tell("removed", object);
    tell_("stopped " + object.kind + "/" + object.name);
  }

  void await_end(const PlannedObject& object) {
    const WaitedForGone waited = wait_until_gone(transport_, *object.resource, object.name_space,
                                                 object.name, object.uid, options_.gone);
    if (!waited.error && !waited.timed_out) return;
    result_.error = waited.error;
    result_.timed_out = waited.timed_out;
    result_.at = object.kind + "/" + object.name;
  }

  bool failed(const Answer& answer, const PlannedObject& object) {
    result_.error = error_of(answer);
    if (result_.error) result_.at = object.kind + "/" + object.name;
    return result_.error.has_value();
  }

  // ---- the record ----------------------------------------------------------------------------

  const AppliedSet* before(const WantedSet& set) const {
    const auto found = std::ranges::find_if(made_.before, [&set](const AppliedSet& each) {
      return each.job == set.name && each.name_space == set.name_space;
    });
    return found == made_.before.end() ? nullptr : &*found;
  }

  AppliedSet empty_record(const WantedSet& set) const {
    Sha256 digest;
    for (const WantedObject& object : set.objects) digest.update_field(object.body);
    return {set.name, set.name_space, set.source, digest.finish_hex(), {}};
  }

  static AppliedObject applied(const PlannedObject& object, std::string uid) {
    return {object.resource->api_version, object.kind, object.name_space, object.name,
            std::move(uid)};
  }

  /// What will be there, and all that was: so that nothing is lost sight of if the writes end.
  AppliedSet planned_record(const WantedSet& set) const {
    AppliedSet record = empty_record(set);
    const AppliedSet* old = before(set);
    if (old != nullptr) record.objects = old->objects;
    for (const PlannedObject& object : made_.plan.objects) {
      if (object.set != &set) continue;
      const AppliedObject now = applied(object, object.uid);
      const bool known = std::ranges::any_of(
          record.objects, [&now](const AppliedObject& each) { return is_same(each, now); });
      if (!known) record.objects.push_back(now);
    }
    return record;
  }

  AppliedSet final_record(const WantedSet& set) const {
    AppliedSet record = empty_record(set);
    for (const PlannedObject& object : made_.plan.objects) {
      if (object.set != &set) continue;
      const auto uid = uids_.find(object.wanted);
      record.objects.push_back(applied(object, uid == uids_.end() ? object.uid : uid->second));
    }
    keep_what_was_kept(set, record);
    return record;
  }

  /// Claims, and what was not to be removed, stay in the record for a later run.
  void keep_what_was_kept(const WantedSet& set, AppliedSet& record) const {
    const AppliedSet* old = before(set);
    if (old == nullptr) return;
    for (const AppliedObject& object : old->objects) {
      const bool known = std::ranges::any_of(
          record.objects, [&object](const AppliedObject& each) { return is_same(each, object); });
      const bool stays = !options_.prune || object.kind == "PersistentVolumeClaim";
      if (!known && stays) record.objects.push_back(object);
    }
  }

  void write_record(const WantedSet& set, const AppliedSet& record) {
    const AppliedSet* old = before(set);
    if (old != nullptr && old->objects == record.objects && old->digest == record.digest &&
        old->source == record.source) {
      return;
    }
    const Answer answer = transport_.send(apply_call(config_maps_resource(), set.name_space,
                                                     applied_set_name(set.name),
                                                     config_map_of(record), {.force = true}));
    result_.error = error_of(answer);
    if (result_.error) result_.at = "ConfigMap/" + applied_set_name(set.name);
  }

  Transport& transport_;
  const std::vector<WantedSet>& sets_;
  const MadePlan& made_;
  const WriteOptions& options_;
  const std::function<void(const std::string&)>& tell_;
  std::map<const WantedObject*, std::string> uids_;  // for the record
  std::set<const PlannedObject*> told_;              // what is done
  Written result_;
};

}  // namespace

Written write_plan(Transport& transport, const std::vector<WantedSet>& sets, const MadePlan& made,
                   const WriteOptions& options,
                   const std::function<void(const std::string& line)>& tell) {
  return PlanWriter(transport, sets, made, options, tell).write();
}

}  // namespace trainyard
