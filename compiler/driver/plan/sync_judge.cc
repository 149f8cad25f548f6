#include "driver/plan/sync_judge.h"

#include <algorithm>
#include <array>
#include <utility>

#include "check/object_checks.h"
#include "diag/foreign_text.h"
#include "diag/secrets.h"
#include "diag/words.h"
#include "driver/plan/sync_diff.h"
#include "driver/session/surroundings.h"
#include "effective/fold_train_job.h"
#include "emit/ownership.h"
#include "manifest/kinds.h"
#include "manifest/metadata.h"
#include "manifest/pod_templates.h"
#include "plan/plan.h"
#include "spec/training_job.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Kinds whose end is the end of data.
struct DataKind {
  std::string_view group;
  std::string_view kind;
  std::string_view because;
};
constexpr std::array<DataKind, 3> kDataKinds = {{
    {"", "PersistentVolumeClaim", "its volume goes with it, unless the storage class retains it"},
    {"", "Namespace", "all that is in the namespace goes with it, claims too"},
    {"apiextensions.k8s.io", "CustomResourceDefinition", "all objects of its kind go with it"},
}};

/// Kinds that validation knows better than the table of kinds does: what a Job takes while it is
/// suspended, or elastic.
constexpr auto kJudgedByChecks = std::to_array<std::string_view>(
    {"batch", "jobset.x-k8s.io", "trainer.kubeflow.org", "batch.volcano.sh"});

/// The first field whose change has this effect, by the table of kinds; "" for none.
std::string path_with(ChangeEffect effect, const JobKind* kind, View before,
                      const std::vector<ValueChange>& changes) {
  if (kind == nullptr) return {};
  for (const ValueChange& each : changes) {
    if (effect_of(*kind, before, each.path) == effect) return each.path;
  }
  return {};
}

/// The first field that cannot change, by the table of kinds; "" for none.
std::string refused_path(const JobKind* kind, View before,
                         const std::vector<ValueChange>& changes) {
  if (kind == nullptr || std::ranges::find(kJudgedByChecks, kind->group) != kJudgedByChecks.end())
    return {};
  return path_with(ChangeEffect::Refused, kind, before, changes);
}

/// The spec that an object was made of, as the file of the object says; "" where it does not.
std::string spec_of(const Session& session, View object) {
  const Span place = object->span;
  std::string source = place.known() ? owner_of(session.sources.text(place.file)).source : "";
  while (source.starts_with("../")) source.erase(0, 3);
  return source;
}

/// Whether its kind is not Kubernetes' own.
bool is_custom(View object) {
  const std::string_view group = group_of(string_at(object, "apiVersion"));
  return group.find('.') != std::string_view::npos && !group.ends_with(".k8s.io");
}

std::string_view data_of(const TreeObject& object) {
  const std::string_view group = group_of(object.object["apiVersion"].text());
  for (const DataKind& each : kDataKinds) {
    if (each.group == group && each.kind == object.kind()) return each.because;
  }
  return {};
}

/// Whether nothing but labels and annotations of data changes, which nothing depends on.
bool is_of_labels(const SyncObject& object) {
  return !data_of(*object.after).empty() &&
         std::ranges::all_of(object.changes, [](const ValueChange& each) {
           return each.path.starts_with("metadata.");
         });
}

/// Whether the API server says so itself, of the object and not of pods that are made of it.
bool is_refusal(const Diagnostic& each) {
  constexpr auto kNotOfTheServer = std::to_array<DiagnosticKind>(
      {DiagnosticKind::RunsWrong, DiagnosticKind::CredentialLiteral, DiagnosticKind::UnknownKind,
       DiagnosticKind::RefusedPod, DiagnosticKind::BadReference, DiagnosticKind::PolicyBroken});
  return each.severity == Severity::Error &&
         std::ranges::find(kNotOfTheServer, each.kind) == kNotOfTheServer.end();
}

/// The key of the runtime of a TrainJob.
std::string runtime_key(View object) {
  const RuntimeName name = runtime_name(object);
  return "trainer.kubeflow.org/" + std::string(name.kind) + "/" + std::string(name.name_space) +
         "/" + std::string(name.name);
}

/// A sentence for people: the place, and the finding.
std::string sentence(const Diagnostic& each) {
  const std::string path = each.path.empty() ? "" : "`" + each.path + "`: ";
  return foreign_text(path + without_secrets(each.message));
}

}  // namespace

SyncJudge::SyncJudge(Session& session, const ClusterDocument* cluster, const SyncStates& states)
    : session_(session),
      states_(states),
      surroundings_(surroundings_of(session, cluster, nullptr)),
      units_(states.tool, states.after) {}

SyncMarks SyncJudge::marks_at(View object, std::string_view directory) const {
  SyncMarks marks = marks_of(states_.tool, object);
  const SyncUnit* unit = units_.of(directory);
  if (unit == nullptr) return marks;
  marks.forces = marks.forces || unit->forces;
  marks.server_side = marks.server_side || unit->server_side;
  if (!unit->prunes && marks.kept.empty())
    marks.kept = "`" + unit->name + "` prunes nothing, which";
  return marks;
}

std::vector<Diagnostic> SyncJudge::errors_of(View after, const Tree* old) {
  Sink found;
  check_manifest_alone(after.tree(), after.id(), session_.sources, session_.schema_sources(),
                       surroundings_, found, old);
  std::vector<Diagnostic> errors = found.sorted();
  std::erase_if(errors, [](const Diagnostic& each) { return !is_refusal(each); });
  return errors;
}

std::vector<Diagnostic> SyncJudge::refusals_of(View after, const TreeObject* before) {
  if (before == nullptr) return errors_of(after, nullptr);
  Tree plain;  // validation takes a forced object for a new one, whatever the tool
  if (has_force(after)) {
    plain = without_force(after);
    after = View(plain, plain.root());
  }
  Tree copy;
  const View view = before->object;
  const Tree* old = &view.tree();
  if (view.id() != old->root()) {  // it stands in a List
    copy.set_root(copy.copy(view.tree(), view.id()));
    old = &copy;
  }
  std::vector<Diagnostic> errors = errors_of(after, old);
  if (!errors.empty() || !is_custom(after)) return errors;
  // An update may keep a value of a wrong type; server-side apply takes none.
  errors = errors_of(after, nullptr);
  std::erase_if(errors, [](const Diagnostic& each) {
    return each.kind != DiagnosticKind::WrongType && each.kind != DiagnosticKind::DuplicateItem;
  });
  return errors;
}

SyncObject SyncJudge::of_tree(const TreeObject& after, const TreeObject* before,
                              const TreeObject* live) {
  SyncObject object;
  object.after = &after;
  object.before = states_.has_live ? live : before;
  object.wave = marks_at(after.object, after.unit).wave;
  object.unit = units_.directory_of(after.unit);
  if (states_.has_live && live != nullptr) {
    const JobRun run = run_of(session_.job_kinds(), live->object);
    object.runs = run.runs;
    object.since = run.since;
  }
  if (object.before == nullptr) {
    judge_new(object, before != nullptr);
  } else {
    judge_change(object, before != nullptr ? before->object : View());
    judge_never(object);
  }
  return object;
}

/// fluxcd/pkg ssa/manager_apply.go ApplyAllStaged tries all objects before it applies any;
/// kubeflow/trainer pkg/webhooks/trainjob_webhook.go wants the runtime.
std::string SyncJudge::lacks_runtime(const SyncObject& object) const {
  const View job = object.after->object;
  if (states_.tool != SyncTool::Flux || string_at(job, "kind") != "TrainJob") return {};
  const std::string key = runtime_key(job);
  const TreeObject* runtime = states_.after.find(key);
  const ObjectTree& there = states_.has_live ? states_.live : states_.before;
  if (runtime == nullptr || there.find(key) != nullptr ||
      units_.directory_of(runtime->unit) != object.unit)
    return {};
  return foreign_text(
      "Flux tries all objects of a unit before it applies any, and Trainer's webhook refuses a "
      "TrainJob without its runtime: give " +
      label_of(*runtime) + " a unit of its own that comes first");
}

TrainingTerms SyncJudge::terms(View object, const ObjectTree& state) const {
  if (string_at(object, "kind") != "TrainJob") return terms_of(object);
  const std::string key = runtime_key(object);
  const TreeObject* runtime = state.find(key);
  // A dump of jobs alone has no runtimes.
  if (runtime == nullptr) runtime = states_.before.find(key);
  if (runtime == nullptr) runtime = states_.after.find(key);
  return terms_of(object, runtime == nullptr ? View() : runtime->object);
}

void SyncJudge::judge_new(SyncObject& object, bool was_there) {
  object.to = terms(object.after->object, states_.after);
  const SyncMarks marks = marks_at(object.after->object, object.after->unit);
  if (marks.is_never_made) {
    object.action = Action::NoEffect;
    object.because = std::string(marks.untouched) + ", and never makes it";
    object.to = {};
    return;
  }
  if (judge_unapplied(object, false)) return;
  object.refusals = refusals_of(object.after->object, nullptr);
  if (!object.refusals.empty()) {
    object.action = Action::Refused;
    object.because = sentence(object.refusals.front());
    return;
  }
  const bool is_job = session_.job_kinds().find(object.after->object) != nullptr;
  object.action = was_there && is_job ? Action::RunsAgain : Action::Create;
  if (was_there)
    object.because = "Git has it, and the cluster no longer does: a sync creates it again";
}

void SyncJudge::add_changes(SyncObject& object, View before_tree) {
  const View before = object.before->object;
  const View after = object.after->object;
  Tree stored;
  std::vector<Difference> differences;
  if (states_.has_live) {
    const WasWritten written = [&](std::string_view path) {
      return was_applied(before, before_tree, manager_of(states_.tool), path);
    };
    differences = live_differences(before, after, written);
    if (!differences.empty()) {
      stored = stored_form(after, session_.schema_sources());
      differences = live_differences(before, View(stored, stored.root()), written);
    }
  } else {
    differences = tree_differences(before, after);
  }
  const bool is_secret = object.after->kind() == "Secret";
  for (const Difference& each : differences) {
    object.changes.push_back(shown_change(each, is_secret));
    object.places.push_back(each.after ? each.after->span : Span());
  }
}

void SyncJudge::judge_change(SyncObject& object, View before_tree) {
  const View before = object.before->object;
  const View after = object.after->object;
  add_changes(object, before_tree);
  const SyncMarks marks = marks_at(object.after->object, object.after->unit);
  if (marks.is_hook) {
    object.action = Action::RunsAgain;
    object.because = "Argo CD deletes a hook and creates it again at every sync";
    return;
  }
  if (const std::string why = reapply_fault(session_.job_kinds(), states_.tool, marks, after);
      !why.empty() && marks.untouched.empty()) {
    object.action = Action::Refused;
    object.because = why;
    return;
  }
  if (object.changes.empty()) return judge_unchanged(object);
  object.is_derived = std::ranges::all_of(
      object.changes, [](const ValueChange& each) { return is_derived(each.path); });
  object.from = terms(before, states_.has_live ? states_.live : states_.before);
  object.to = terms(after, states_.after);
  object.terms = changed_terms(object.from, object.to);
  if (!marks.untouched.empty()) {
    object.action =
        object.is_derived || is_of_labels(object) ? Action::Unchanged : Action::NoEffect;
    object.because = marks.untouched;
    object.to = object.from;
    return;
  }
  if (judge_unapplied(object, true)) return;
  object.refusals = refusals_of(after, object.before);
  JobRun run = run_of(session_.job_kinds(), before);
  const JobKind* part = session_.job_kinds().find_part(before);
  if (const std::string path =
          refused_path(part != nullptr ? part : run.kind, before, object.changes);
      !path.empty()) {
    object.because = "`" + foreign_text(path) + "` cannot change once the " +
                     std::string(object.before->kind()) + " is there";
    return judge_refused(object);
  }
  if (!object.refusals.empty() || marks.always) return judge_refused(object);
  if (!states_.has_live) run.runs = run.kind != nullptr;
  object.action = action_of(run, before, object.changes);
  if (object.action == Action::NoEffect) {
    object.because = "pods that run stay as they are, and a pod that is made later differs";
  }
  if (!path_with(ChangeEffect::Ignored, part, before, object.changes).empty()) {
    object.action = Action::NoEffect;
    object.because = "only TrainJobs that are made later use it";
  }
}

/// A spec may say that no change runs its job again.
void SyncJudge::judge_never(SyncObject& object) {
  if (annotation(object.after->object, kRerunAnnotation).text() != spelling(Rerun::Never)) return;
  constexpr auto kRunning =
      std::to_array<Action>({Action::Refused, Action::NoEffect, Action::Restart, Action::Replace});
  if (std::ranges::find(kRunning, object.action) == kRunning.end()) return;
  object.action = Action::Refused;
  const std::string spec = spec_of(session_, object.after->object);
  const std::string why = object.because;
  object.because = "`spec.rerun` is `never`" + (spec.empty() ? "" : " in " + shown(spec)) +
                   ", and only another run has this change";
  if (!why.empty()) object.because += ": " + why;
}

void SyncJudge::judge_unchanged(SyncObject& object) {
  const View after = object.after->object;
  // A definition that comes with the tree may be stricter than what the object was made by.
  const std::vector<SchemaSource> sources = session_.schema_sources();
  const FoundKind kind =
      find_kind(sources, string_at(after, "apiVersion"), string_at(after, "kind"));
  const SyncUnit* unit = units_.of(object.after->unit);
  const bool is_applied = unit == nullptr || !unit->only_changed;
  object.recurs = unit != nullptr && is_applied && marks_at(after, object.after->unit).always;
  if (kind.source != nullptr && &kind.source->pack != &session_.schemas && is_applied) {
    object.refusals = refusals_of(after, object.before);
    if (!object.refusals.empty()) return judge_refused(object);
  }
  const bool has_ttl = static_cast<bool>(get(get(after, "spec"), "ttlSecondsAfterFinished"));
  const bool has_ended = states_.has_live && !object.runs &&
                         run_of(session_.job_kinds(), object.before->object).kind != nullptr;
  if (!has_ttl || !has_ended || states_.tool == SyncTool::None) return;
  object.action = Action::RunsAgain;
  object.because = "it has ended, and when its `ttlSecondsAfterFinished` has deleted it, " +
                   std::string(name_of(states_.tool)) + " creates it again";
}

void SyncJudge::judge_recurring(SyncObject& object) {
  object.from = terms(object.before->object, states_.has_live ? states_.live : states_.before);
  object.to = terms(object.after->object, states_.after);
  object.because =
      "its Application has no `ApplyOutOfSyncOnly=true`, so that each sync applies all of it";
  judge_refused(object);
}

bool SyncJudge::judge_unapplied(SyncObject& object, bool is_there) {
  const TreeObject& after = *object.after;
  std::string why(unapplied(marks_at(after.object, after.unit), after.object, is_there));
  if (why.empty() && !is_there) why = lacks_runtime(object);
  if (why.empty()) return false;
  object.action = Action::Refused;
  object.because = why;
  return true;
}

void SyncJudge::judge_refused(SyncObject& object) {
  const View after = object.after->object;
  const SyncMarks marks = marks_at(object.after->object, object.after->unit);
  const std::string tool(name_of(states_.tool));
  object.action = Action::Refused;
  if (!object.refusals.empty()) object.because = sentence(object.refusals.front());
  if (!marks.forces) return;
  if (const std::string_view why = unforceable(states_.tool, after); !why.empty()) {
    object.because += "; " + std::string(why);
    return;
  }
  const std::vector<Diagnostic> alone = refusals_of(after, nullptr);
  const std::string_view data = data_of(*object.after);
  if (!data.empty()) {
    object.action = Action::DataLoss;
    object.because = tool + " is set to force it: it is deleted, and " + std::string(data);
  } else if (!alone.empty()) {
    object.because = tool + " is set to force it: it is deleted, and cannot be made again: " +
                     sentence(alone.front());
  } else {
    object.action = Action::Replace;
    object.because = tool + " is set to force it: it is deleted and made again" +
                     (object.because.empty() ? "" : ", for " + object.because);
    object.refusals.clear();
  }
}

SyncObject SyncJudge::of_gone(const TreeObject& before, const TreeObject* live) {
  SyncObject object;
  object.before = live != nullptr ? live : &before;
  object.from = terms(object.before->object, live != nullptr ? states_.live : states_.before);
  if (live != nullptr) {
    const JobRun run = run_of(session_.job_kinds(), live->object);
    object.runs = run.runs;
    object.since = run.since;
  }
  const SyncMarks marks = marks_at(object.before->object, before.unit);
  object.wave = marks.wave;
  object.unit = units_.directory_of(before.unit);
  if (!marks.kept.empty()) {
    object.action = Action::Kept;
    object.because = foreign_text(marks.kept) + " keeps it on the cluster";
    object.to = object.from;
    return object;
  }
  const std::string_view data = data_of(*object.before);
  object.action = data.empty() ? Action::Delete : Action::DataLoss;
  object.because = data.empty() ? "the tree no longer has it"
                                : "the tree no longer has it, and " + std::string(data);
  object.asks = marks.asks;
  if (marks.asks) object.because += "; Argo CD waits until a person confirms";
  return object;
}

}  // namespace trainyard
