#include "driver/plan/sync_plan.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "diag/foreign_text.h"
#include "driver/plan/live_match.h"
#include "driver/plan/sync_judge.h"
#include "manifest/metadata.h"
#include "plan/plan.h"

namespace trainyard {
namespace {

std::string_view run_name(const TreeObject& object) {
  return label(object.object, kRunLabel).text();
}

/// What the objects of all runs of a job have in common: their group, kind and namespace, and the
/// job. "" for an object that is of no run.
std::string run_key(const TreeObject& object) {
  const std::string_view job = label(object.object, kJobLabel).text();
  if (job.empty() || run_name(object).empty()) return {};
  return object.key.substr(0, object.key.size() - object.name().size()) + std::string(job);
}

class Planner {
 public:
  Planner(Session& session, const ClusterDocument* cluster, const SyncStates& states)
      : session_(session), states_(states), judge_(session, cluster, states), live_(states) {
    plan_.tool = states.tool;
  }

  SyncPlan make() {
    for (const TreeObject& each : states_.after.objects()) {
      plan_.objects.push_back(judge_.of_tree(each, find(states_.before, each), live_.find(each)));
    }
    add_gone();
    live_.tell_foreign(session_);
    add_recurring();
    pair_runs();
    sort_by_unit();
    block();
    sum_up();
    return std::move(plan_);
  }

 private:
  static const TreeObject* find(const ObjectTree& tree, const TreeObject& object) {
    return tree.find(object.key);
  }

  /// What the earlier tree had, or what the dump says that the tool keeps together with objects of
  /// this tree.
  void add_gone() {
    for (const TreeObject& each : states_.before.objects()) {
      if (states_.after.find(each.key) != nullptr) continue;
      const TreeObject* live = live_.find(each);
      if (states_.has_live && live == nullptr) continue;  // it is gone already
      plan_.objects.push_back(judge_.of_gone(each, live));
    }
    if (states_.has_before || states_.tool == SyncTool::None) return;
    for (const TreeObject* each : live_.left())
      plan_.objects.push_back(judge_.of_gone(*each, each));
  }

  /// Argo CD syncs a unit where an object is not as it shall be.
  void add_recurring() {
    std::set<std::string_view> synced;
    for (const SyncObject& each : plan_.objects) {
      if (each.action != Action::Unchanged && each.action != Action::Kept) synced.insert(each.unit);
    }
    for (SyncObject& each : plan_.objects) {
      if (each.recurs && synced.contains(each.unit)) judge_.judge_recurring(each);
    }
  }

  /// A new run of a job takes the place of the one that goes.
  void pair_runs() {
    std::unordered_map<std::string, std::size_t> gone;
    for (std::size_t i = 0; i < plan_.objects.size(); ++i) {
      const SyncObject& each = plan_.objects[i];
      const std::string key = each.action == Action::Delete ? run_key(*each.before) : "";
      if (!key.empty()) gone.emplace(key, i);
    }
    if (gone.empty()) return;
    std::set<std::size_t> paired;
    for (SyncObject& each : plan_.objects) {
      if (each.action != Action::Create) continue;
      const auto found = gone.find(run_key(*each.after));
      if (found == gone.end() || !paired.insert(found->second).second) continue;
      pair(plan_.objects[found->second], each);
    }
    std::vector<SyncObject> kept;
    for (std::size_t i = 0; i < plan_.objects.size(); ++i) {
      if (!paired.contains(i)) kept.push_back(std::move(plan_.objects[i]));
    }
    plan_.objects = std::move(kept);
  }

  void pair(const SyncObject& old, SyncObject& next) const {
    // What a job brings along, a TrainingRuntime or ConfigMap, starts nothing by itself.
    if (run_of(session_.job_kinds(), next.after->object).kind != nullptr)
      next.action = Action::Restart;
    next.before = old.before;
    next.from = old.from;
    next.terms = changed_terms(next.from, next.to);
    next.runs = old.runs;
    next.since = old.since;
    next.asks = old.asks;
    next.old_run = run_name(*next.before);
    next.new_run = run_name(*next.after);
    next.because =
        foreign_text("run `" + next.new_run + "` takes the place of run `" + next.old_run + "`");
    const bool is_secret = next.after->kind() == "Secret";
    for (const Difference& each : object_differences(next.before->object, next.after->object)) {
      if (is_renaming(each, next)) continue;
      next.changes.push_back(shown_change(each, is_secret));
      next.places.push_back(each.after ? each.after->span : Span());
    }
    next.is_derived = next.changes.empty() && !next.to.is_workload;
  }

  /// Whether a value differs in the name of the run alone.
  static bool is_renaming(const Difference& each, const SyncObject& object) {
    if (is_derived(each.path)) return true;
    if (!each.before || !each.after || !each.before->is_scalar()) return false;
    std::string text(each.before.text());
    const std::size_t at = text.find(object.old_run);
    if (at == std::string::npos) return false;
    for (std::size_t i = at; i != std::string::npos;
         i = text.find(object.old_run, i + object.new_run.size())) {
      text.replace(i, object.old_run.size(), object.new_run);
    }
    return text == each.after.text();
  }

  void sort_by_unit() {
    std::vector<std::pair<std::string_view, std::size_t>> order;
    for (std::size_t i = 0; i < plan_.objects.size(); ++i) {
      order.emplace_back(plan_.objects[i].shown().unit, i);
    }
    std::ranges::sort(order);
    std::vector<SyncObject> sorted;
    sorted.reserve(order.size());
    for (const auto& [unit, place] : order) sorted.push_back(std::move(plan_.objects[place]));
    plan_.objects = std::move(sorted);
  }

  /// What keeps objects of one unit from being synced. Argo CD applies the wave of a refused object
  /// and prunes in it, and comes to no later one; it does nothing in the wave of an object whose
  /// end waits for a person.
  struct Unit {
    BlockedUnit blocked;
    int wave = 0;         // of the first refused object
    int asking_wave = 0;  // of the first one whose end is to be confirmed
    int first_prune = 0;  // waves of what is deleted
    int last_prune = 0;
    bool prunes = false;

    void add(const SyncObject& each) {
      if (each.action == Action::Refused) {
        wave = blocked.refused.empty() ? each.wave : std::min(wave, each.wave);
        blocked.refused.push_back(label_of(each.shown()));
      }
      if (each.asks) {
        asking_wave = blocked.asking.empty() ? each.wave : std::min(asking_wave, each.wave);
        blocked.asking.push_back(label_of(*each.before));
      }
      if (!ends(each)) return;
      first_prune = prunes ? std::min(first_prune, each.wave) : each.wave;
      last_prune = prunes ? std::max(last_prune, each.wave) : each.wave;
      prunes = true;
    }
    static bool ends(const SyncObject& each) {
      return each.after == nullptr && each.action != Action::Kept;
    }
    bool keeps(const SyncObject& each, SyncTool tool) const {
      if (tool == SyncTool::Flux) return !blocked.refused.empty();
      if (!blocked.asking.empty() && each.wave >= asking_wave) return true;
      if (blocked.refused.empty()) return false;
      if (!ends(each)) return each.wave > wave;
      // The last wave is pruned first, in the first wave that prunes anything; and so on.
      // argoproj/argo-cd gitops-engine/pkg/sync/sync_context.go getSyncTasks
      return first_prune > wave || (first_prune == wave && each.wave < last_prune);
    }
  };

  /// Flux applies a unit whole or not at all.
  void block() {
    if (plan_.tool == SyncTool::None) return;
    std::unordered_map<std::string_view, Unit> units;
    for (const SyncObject& each : plan_.objects) units[each.unit].add(each);
    for (SyncObject& each : plan_.objects) {
      const bool is_still = each.action == Action::Unchanged || each.action == Action::Kept ||
                            each.action == Action::Refused;
      Unit& unit = units.at(each.unit);
      if (is_still || !unit.keeps(each, plan_.tool)) continue;
      each.waits = true;
      const bool is_asked = each.asks && Unit::ends(each);
      if (!is_asked) unit.blocked.waiting.push_back(label_of(each.shown()));
    }
    for (auto& [name, unit] : units) {
      if (unit.blocked.refused.empty() && unit.blocked.asking.empty()) continue;
      unit.blocked.unit = name;
      plan_.blocked.push_back(std::move(unit.blocked));
    }
    std::ranges::sort(plan_.blocked, {}, &BlockedUnit::unit);
  }

  void sum_up() {
    for (const SyncObject& each : plan_.objects) {
      const bool is_still = each.action == Action::Unchanged || each.action == Action::Refused ||
                            each.action == Action::NoEffect;
      if (is_still) continue;
      plan_.gpus_before += each.from.gpus;
      plan_.gpus_after += each.to.gpus;
      if (each.from.gpus != 0) plan_.gpus_by_queue[each.from.queue] -= each.from.gpus;
      if (each.to.gpus != 0) plan_.gpus_by_queue[each.to.queue] += each.to.gpus;
    }
    std::erase_if(plan_.gpus_by_queue, [](const auto& each) { return each.second == 0; });
  }

  Session& session_;
  const SyncStates& states_;
  SyncJudge judge_;
  LiveMatch live_;
  SyncPlan plan_;
};

}  // namespace

bool SyncPlan::has(Action action) const {
  return std::ranges::any_of(
      objects, [action](const SyncObject& object) { return object.action == action; });
}

SyncPlan make_sync_plan(Session& session, const ClusterDocument* cluster,
                        const SyncStates& states) {
  return Planner(session, cluster, states).make();
}

std::string label_of(const TreeObject& object) {
  return std::string(object.kind()) + "/" + std::string(object.name());
}

}  // namespace trainyard
