#include "driver/plan/action.h"

#include <algorithm>
#include <array>

#include "effective/status.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::array<ActionWords, 13> kWords = {{
    {Action::Create, '+', "create", "new", "create", "to add"},
    {Action::RunsAgain, '+', "runs-again", "runs again", "runs again", "to run again"},
    {Action::Update, '~', "update", "changes", "patch", "to change"},
    {Action::NoEffect, '~', "no-effect", "changes, and pods that run stay as they are",
     "patch without effect", "to change without effect on running pods"},
    {Action::Restart, '!', "restart", "changes, and its pods start again", "restart",
     "to start again"},
    {Action::Replace, '!', "replace", "must be replaced", "recreate", "to replace"},
    {Action::Delete, '-', "delete", "goes", "prune", "to delete"},
    {Action::DataLoss, 'x', "data-loss", "goes with its data", "data loss", "with data loss"},
    {Action::Conflict, 'x', "conflict", "has fields of another manager", "conflict", "in conflict"},
    {Action::Foreign, 'x', "foreign", "is kept by another tool", "of another tool",
     "of another tool"},
    {Action::Refused, 'x', "refused", "is refused", "refused", "refused"},
    {Action::Kept, '=', "kept", "stays", "kept", "kept"},
    {Action::Unchanged, '=', "unchanged", "unchanged", "unchanged", "unchanged"},
}};

}  // namespace

std::span<const ActionWords> all_action_words() {
  return kWords;
}

const ActionWords& words_of(Action action) {
  return *std::ranges::find(kWords, action, &ActionWords::action);
}

JobRun run_of(const JobKinds& kinds, View object) {
  const JobKind* kind = kinds.find(object);
  if (kind == nullptr) return {};
  const JobState state = judge_status(*kind, object);
  JobRun job{kind, !is_final(state.phase), state.since};
  // A batch Job has no condition while it runs.
  if (job.since.empty()) job.since = string_at(get(object, "status"), "startTime");
  return job;
}

Action action_of(const JobRun& job, View before, const std::vector<ValueChange>& changes) {
  if (changes.empty()) return Action::Unchanged;
  if (job.kind == nullptr || !job.runs) return Action::Update;
  Action action = Action::Update;
  for (const ValueChange& change : changes) {
    const ChangeEffect effect = effect_of(*job.kind, before, change.path);
    if (effect == ChangeEffect::Restarts) return Action::Restart;
    if (effect == ChangeEffect::Ignored) action = Action::NoEffect;
  }
  return action;
}

}  // namespace trainyard
