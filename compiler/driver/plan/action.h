#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "driver/plan/object_diff.h"
#include "kind/job_kind.h"
#include "tree/tree.h"

namespace trainyard {

/// What becomes of an object: the verdicts of all plans, whatever they compare.
enum class Action {
  Create,
  RunsAgain,  // its job has ended or is gone, and is made once more
  Update,     // it is taken
  NoEffect,   // it is taken, and pods that run stay as they are; or nothing is applied
  Restart,    // pods that run are replaced, or a new run takes the place of an old one
  Replace,    // it has to be deleted and made again
  Delete,
  DataLoss,  // it is deleted, and data with it
  Conflict,  // another manager has fields that differ
  Foreign,   // another tool made it, and keeps it
  Refused,   // by the API server or a webhook
  Kept,      // it is no longer asked for, and stays
  Unchanged,
};

/// How an action is named.
struct ActionWords {
  Action action;
  char sign;
  std::string_view name;     // in the JSON of a plan for a cluster
  std::string_view line;     // behind the object there
  std::string_view verdict;  // in a plan that compares trees
  std::string_view summary;  // `1 to add`
};
/// All, in the order of a summary.
std::span<const ActionWords> all_action_words();
const ActionWords& words_of(Action action);

/// Whether pods that run end by it.
inline bool ends_pods(Action action) {
  return action == Action::Replace || action == Action::Restart || action == Action::Delete;
}

/// Whether an object is a job that is not at its end.
struct JobRun {
  const JobKind* kind = nullptr;  // null for what is no job
  bool runs = false;
  std::string since;  // RFC 3339; "" where nothing says it
};
JobRun run_of(const JobKinds& kinds, View object);

/// What becomes of changes that the API server takes, by the table of kinds: a server takes more
/// than its controllers act on. `before` is the object that is there.
Action action_of(const JobRun& job, View before, const std::vector<ValueChange>& changes);

}  // namespace trainyard
