#pragma once

#include "driver/plan/sync_plan.h"
#include "driver/plan/sync_units.h"

namespace trainyard {

/// Judges objects one by one, by what validation says of a change and by the table of kinds.
class SyncJudge {
 public:
  SyncJudge(Session& session, const ClusterDocument* cluster, const SyncStates& states);

  /// An object of the tree. `before` is that of the earlier tree, `live` that of the cluster; null
  /// where they have none.
  SyncObject of_tree(const TreeObject& after, const TreeObject* before, const TreeObject* live);
  /// An object that the tree no longer has.
  SyncObject of_gone(const TreeObject& before, const TreeObject* live);
  /// Of an object that recurs, in a unit where others change.
  void judge_recurring(SyncObject& object);

 private:
  /// The marks of an object, and what the unit of its directory says.
  SyncMarks marks_at(View object, std::string_view directory) const;
  void judge_new(SyncObject& object, bool was_there);
  void judge_change(SyncObject& object, View before_tree);
  void add_changes(SyncObject& object, View before_tree);
  void judge_unchanged(SyncObject& object);
  void judge_refused(SyncObject& object);
  /// Refuses what the tool itself cannot apply. False where it can.
  bool judge_unapplied(SyncObject& object, bool is_there);
  void judge_never(SyncObject& object);
  /// Why Flux cannot make a TrainJob at once with its runtime; "" where it can.
  std::string lacks_runtime(const SyncObject& object) const;
  /// The terms of an object of a state; a TrainJob's with those of its runtime there.
  TrainingTerms terms(View object, const ObjectTree& state) const;
  std::vector<Diagnostic> refusals_of(View after, const TreeObject* before);
  std::vector<Diagnostic> errors_of(View after, const Tree* old);

  Session& session_;
  const SyncStates& states_;
  CheckInputs surroundings_;
  SyncUnits units_;
};

}  // namespace trainyard
