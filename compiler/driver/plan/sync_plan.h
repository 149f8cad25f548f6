#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "driver/plan/action.h"
#include "driver/plan/sync_marks.h"
#include "driver/plan/training_terms.h"
#include "driver/plan/tree_objects.h"
#include "driver/session/session.h"

namespace trainyard {

/// What becomes of one object when the tree is synced.
struct SyncObject {
  const TreeObject* before = nullptr;  // as it was, or is on the cluster; null for a new one
  const TreeObject* after = nullptr;   // null for one that the tree no longer has
  Action action = Action::Unchanged;
  std::string because;  // a sentence; fit for a terminal
  std::vector<ValueChange> changes;
  std::vector<Span> places;  // of the changes, in the new tree; unknown for what is taken away
  std::vector<TermChange> terms;
  TrainingTerms from;
  TrainingTerms to;
  std::string old_run;  // of a restart: the run that ends, and the one that takes its place
  std::string new_run;
  bool is_derived = false;  // nothing changes but names of runs and digests
  bool runs = false;        // by the dump: a job that is not at its end
  std::string since;
  std::string unit;     // the directory that the tool syncs as one, which it lies in
  bool asks = false;    // Argo CD waits until a person confirms that it, or its old run, ends
  bool waits = false;   // another object of its unit keeps the tool from applying it
  bool recurs = false;  // unchanged, and yet Argo CD replaces it when it syncs its unit
  int wave = 0;
  std::vector<Diagnostic> refusals;  // what the API server says, at lines of the new tree

  const TreeObject& shown() const { return after != nullptr ? *after : *before; }
};

/// What objects of a unit keep from being synced.
struct BlockedUnit {
  std::string unit;                  // a directory
  std::vector<std::string> refused;  // `Job/llama`
  std::vector<std::string> asking;   // whose end a person has to confirm; then nothing is refused
  std::vector<std::string> waiting;
};

struct SyncPlan {
  SyncTool tool = SyncTool::None;
  std::vector<SyncObject> objects;  // by unit; in each first those of the new tree
  std::vector<BlockedUnit> blocked;
  std::int64_t gpus_before = 0;  // of all that changes
  std::int64_t gpus_after = 0;
  std::map<std::string, std::int64_t> gpus_by_queue;  // how many more; no queue for ""

  bool has(Action action) const;
};

/// The states that are compared.
struct SyncStates {
  ObjectTree after;
  ObjectTree before;
  ObjectTree live;
  bool has_before = false;
  bool has_live = false;
  SyncTool tool = SyncTool::None;
  std::string name_space;  // of objects that name none
};

/// What syncing the tree does to each object. The states must outlive the plan. Reports a dump that
/// has nothing of the tree.
SyncPlan make_sync_plan(Session& session, const ClusterDocument* cluster, const SyncStates& states);

/// `Job/llama`
std::string label_of(const TreeObject& object);

}  // namespace trainyard
