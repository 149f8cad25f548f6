#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/api/api_error.h"
#include "cluster/api/discovery.h"
#include "cluster/json_document.h"
#include "driver/plan/action.h"
#include "driver/plan/object_diff.h"
#include "live/apply/wanted.h"
#include "live/live_exit.h"

namespace trainyard {

/// A field that another manager has, with another value.
struct FieldConflict {
  std::string path;
  std::string manager;
  std::string theirs;  // masked
  std::string place;   // in the spec
};

/// What is known of an object before anything is written.
struct Observed {
  const ApiResource* resource = nullptr;  // null where the cluster has no such kind
  std::string name_space;                 // in which it is or will be; "" for none
  JsonAnswer live;                        // null where it is not there
  JsonAnswer next;                        // the answer of the dry run; null where that failed
  std::optional<ApiError> refusal;        // of the dry run
  JsonAnswer fresh;  // as it would be if it were made anew; null where that is refused, too
};

struct PlannedObject {
  const WantedSet* set = nullptr;
  const WantedObject* wanted = nullptr;  // null for one that is to be deleted
  std::string kind;
  std::string name;
  std::string name_space;
  std::string uid;  // of what is there
  const ApiResource* resource = nullptr;
  Action action = Action::Unchanged;
  std::vector<ValueChange> changes;
  std::vector<std::string> places;  // of the changes, in the spec; "" where none is known
  std::vector<FieldConflict> conflicts;
  std::string because;  // a sentence for Replace, Refused, NoEffect, Foreign and Delete
  std::string help;     // of Refused: what to do about it; "" where the sentence says so
  ExitCode code = ExitCode::InputWrong;  // of Refused
  bool awaits_end = false;  // of Create: what has its name is being deleted, and must be gone first
  bool runs = false;        // a job that is not at its end
  std::string since;        // that it runs
  bool is_job = false;
};

struct ClusterPlan {
  const JobKinds* kinds = &JobKinds::builtin();  // of its jobs
  std::vector<PlannedObject> objects;            // in the order of creation, then those to delete

  bool has(Action action) const;
  bool changes_anything() const;
  /// Of a plan with refused objects: that of the first.
  ExitCode code_of_refusal() const;
};

/// Judges one object. `created` are the names of objects that come before it and are not there yet:
/// what fails for lack of them can only be tried then.
PlannedObject judge(const JobKinds& kinds, const WantedSet& set, const WantedObject& wanted,
                    const Observed& observed, const std::vector<std::string>& created);

/// Whether the object is deleted, and stays until its pods and finalizers are gone.
bool is_being_deleted(View live);

/// Whether the object is a job that is not at its end, and since when.
void note_job(const JobKinds& kinds, View live, PlannedObject& planned);

}  // namespace trainyard
