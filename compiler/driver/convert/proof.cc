#include "driver/convert/proof.h"

#include <algorithm>
#include <string>
#include <vector>

#include "convert/job_changes.h"
#include "convert/job_metadata.h"
#include "diag/secrets.h"
#include "diag/words.h"
#include "effective/fold_train_job.h"
#include "manifest/inventory.h"
#include "manifest/pod_templates.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

bool is_train_job(View object) {
  return string_at(object, "kind") == "TrainJob" &&
         string_at(object, "apiVersion").starts_with("trainer.kubeflow.org/");
}

/// Of a version that the operator takes as version 1, which was the next.
bool is_older_mpi_job(View object) {
  return string_at(object, "kind") == "MPIJob" &&
         string_at(object, "apiVersion") == "kubeflow.org/v1alpha2";
}

/// A runtime that says nothing, for TrainJobs whose own one is not among the inputs: what they say
/// themselves is compared.
View bare_runtime(PodBuilder& maker, std::string_view name) {
  const OriginId none = kNoOrigin;
  const NodeId runtime = maker.map(none);
  maker.put(runtime, "apiVersion", "trainer.kubeflow.org/v1alpha1", none);
  maker.put(runtime, "kind", "ClusterTrainingRuntime", none);
  const NodeId spec = maker.map_at(runtime, "spec", none);
  const NodeId policy = maker.map_at(spec, "mlPolicy", none);
  maker.put(policy, "numNodes", maker.number(1, none));
  // As the runtimes are called that the Trainer installs.
  if (name.starts_with("torch")) maker.map_at(policy, "torch", none);
  const NodeId set = maker.map_at(maker.map_at(spec, "template", none), "spec", none);
  const NodeId node = maker.map(none);
  maker.tree.append(maker.list_at(set, "replicatedJobs", none), node);
  maker.put(node, "name", "node", none);
  const NodeId job = maker.map_at(node, "template", none);
  const NodeId labels = maker.map_at(maker.map_at(job, "metadata", none), "labels", none);
  maker.put(labels, "trainer.kubeflow.org/trainjob-ancestor-step", "trainer", none);
  const NodeId job_spec = maker.map_at(job, "spec", none);
  const NodeId pod = maker.map_at(maker.map_at(job_spec, "template", none), "spec", none);
  const NodeId container = maker.map(none);
  maker.put(container, "name", "node", none);
  maker.tree.append(maker.list_at(pod, "containers", none), container);
  return maker.view(runtime);
}

class Prover {
 public:
  Prover(Session& session, const Proof& proof)
      : session_(session),
        proof_(proof),
        old_maker_(old_tree_, old_origins_),
        new_maker_(new_tree_, proof.built.origins) {}

  void run() {
    View rebuilt;
    Inventory built;
    for (const Object& each : proof_.built.objects.objects) {
      const View object(proof_.built.objects.tree, each.root);
      built.add(object);
      const bool same =
          each.kind == string_at(proof_.object, "kind") &&
          group_of(each.api_version) == group_of(string_at(proof_.object, "apiVersion"));
      if (same && !rebuilt) rebuilt = object;
    }
    if (!rebuilt) return;
    const View old_job = pods_from(old_maker_, proof_.object, proof_.given);
    const View new_job = pods_from(new_maker_, rebuilt, built);
    if (!old_job || !new_job) return;
    const ComparedJob before{old_job, old_maker_};
    const ComparedJob after{new_job, new_maker_};
    const auto is_told = [&](View value) { return was_reported(place_of(before, value)); };
    for (const JobChange& each :
         changes_between(before, after, proof_.versions.kubernetes, is_told)) {
      report(before, each);
    }
    parts();
  }

 private:
  /// Claims, ConfigMaps and Services of the input that went into the spec.
  void parts() {
    for (View each : proof_.converted.used) {
      const View made = made_of(each);
      if (!made) continue;
      const ComparedJob before{each, old_maker_};
      const auto is_told = [&](View value) { return was_reported(place_of(before, value)); };
      for (const JobChange& change : changes_of_part(before, {made, new_maker_}, is_told)) {
        report(before, change);
      }
    }
  }

  /// The claim of the same name; the ConfigMap with a file of the same name and text, for a build
  /// names it by its content; the one headless Service, which a controller may make itself.
  View made_of(View part) const {
    const std::string_view kind = string_at(part, "kind");
    for (const Object& each : proof_.built.objects.objects) {
      if (each.kind != kind) continue;
      const View object(proof_.built.objects.tree, each.root);
      if (kind == "PersistentVolumeClaim" &&
          each.name == string_at(get(part, "metadata"), "name")) {
        return object;
      }
      if (kind == "ConfigMap" && has_file_of(object, part)) return object;
      if (kind == "Service" && string_at(get(object, "spec"), "clusterIP") == "None") return object;
    }
    return {};
  }

  static bool has_file_of(View made, View part) {
    const Items files(get(part, "data"));
    return std::ranges::any_of(
        files, [&](View file) { return string_at(get(made, "data"), file->key) == file->text; });
  }

  /// The job, or the JobSet that the Trainer makes of it; nothing where it makes none.
  View pods_from(PodBuilder& maker, View job, const Inventory& inventory) {
    if (is_older_mpi_job(job)) {
      const NodeId newer = maker.copy(job);
      maker.put(newer, "apiVersion", "kubeflow.org/v1", kNoOrigin);
      return maker.view(newer);
    }
    if (!is_train_job(job)) return job;
    View runtime = find_runtime(job, inventory);
    if (!runtime) runtime = bare_runtime(maker, runtime_name(job).name);
    Sink unheard;
    const TrainJobInput input{job, runtime, proof_.versions, session_.schemas};
    const FoldedTrainJob folded = fold_train_job(maker, input, unheard);
    const bool made = folded.job_set != kNoNode && !unheard.has_errors();
    return made ? maker.view(folded.job_set) : View();
  }

  bool was_reported(Span place) const {
    if (!place.known()) return false;
    const auto holds = [](Span outer, Span inner) {
      return outer.file == inner.file && outer.begin <= inner.begin && inner.end <= outer.end;
    };
    return std::ranges::any_of(proof_.converted.lost, [&](const NotCarried& each) {
      return holds(each.at->span, place) || holds(place, each.at->span);
    });
  }

  /// A Secret took the place of credentials, which was reported where they stood.
  bool is_only_withheld(const JobChange& change) const {
    constexpr std::string_view kStands = R"({"secretKeyRef":)";
    if (change.after.find(kNamedSecret) == std::string::npos) return false;
    if (!change.was_there) return true;
    std::string before = change.before;
    std::string after = change.after;
    for (const NotCarried& each : proof_.converted.lost) {
      const std::size_t at = each.is_secret ? before.find(each.at->text) : before.npos;
      const std::size_t stands = after.find(kStands);
      const std::size_t end = after.find("}}", stands);
      if (at == before.npos || end == after.npos) continue;
      before.replace(at, each.at->text.size(), kNamedSecret);
      after.replace(stands, end + 2 - stands, kNamedSecret);
    }
    return before == after;
  }

  /// In the build, something stood for a value that the user has yet to fill in.
  bool is_only_filled_in(const JobChange& change) const {
    std::string after = change.after;
    for (const ValueToFill& each : proof_.to_fill) {
      for (std::size_t at = after.find(each.stand_in); at != after.npos;
           at = after.find(each.stand_in, at + each.text.size())) {
        after.replace(at, each.stand_in.size(), each.text);
      }
    }
    return change.was_there && change.is_there && change.before == after;
  }

  void report(const ComparedJob& before, const JobChange& change) {
    if (is_only_withheld(change) || is_only_filled_in(change)) return;
    const View kind = get(proof_.object, "kind");
    Span place = place_of(before, change.from);
    if (!place.known()) place = (kind ? kind : proof_.object)->span;
    Diagnostic& report =
        session_.sink.report(DiagnosticKind::ChangedByBuild, place, message(change));
    if (is_secret(change)) report.redact(place);
    if (!change.also.empty()) report.note("by the same cause: " + listed(change.also, "and"));
    const std::string why = reason(change.to ? change.to->origin : kNoOrigin);
    if (!why.empty()) report.note("it comes from " + why);
    report.note("to keep it, " + std::string(change.advice));
  }

  static std::string_view variable_of(const JobChange& change) {
    const std::string_view path = change.path;
    const std::size_t at = path.find("env[");
    return at == path.npos ? std::string_view() : path.substr(at + 4, path.size() - at - 5);
  }

  static bool is_secret(const JobChange& change) {
    const std::string_view name = variable_of(change);
    return !name.empty() && (looks_like_credential(name, change.before) ||
                             looks_like_credential(name, change.after));
  }

  static std::size_t same_begin(const std::string& a, const std::string& b) {
    constexpr std::size_t kShown = 20;  // of what is the same
    const auto differs = std::ranges::mismatch(a, b);
    const auto same = static_cast<std::size_t>(differs.in1 - a.begin());
    if (same <= kShown || without_secrets(a) != a || without_secrets(b) != b) return 0;
    const std::size_t space = a.rfind(' ', same - kShown);
    return space == a.npos ? 0 : space + 1;
  }

  static std::string message(const JobChange& change) {
    const bool secret = is_secret(change);
    // Long texts are shown from shortly before where they differ.
    const std::size_t skipped = same_begin(change.before, change.after);
    const auto value = [secret, skipped](const std::string& text) {
      if (secret) return shown(kSecretMask);
      return shown((skipped == 0 ? "" : "... ") + without_secrets(text).substr(skipped));
    };
    const std::string what =
        shown(change.path) + (change.role.empty() ? "" : " of the pods of `" + change.role + "`");
    if (!change.is_there)
      return "a build leaves out " + what + ", which is " + value(change.before);
    if (!change.was_there) return "a build adds " + what + ": " + value(change.after);
    return "a build changes " + what + " from " + value(change.before) + " to " +
           value(change.after);
  }

  /// The rule, template or controller that decided a value of the build.
  std::string reason(OriginId id) const {
    for (OriginKind kind :
         {OriginKind::Rule, OriginKind::Injected, OriginKind::Default, OriginKind::Template}) {
      const std::string found = reason(id, kind, 0);
      if (!found.empty()) return found;
    }
    return {};
  }

  std::string reason(OriginId id, OriginKind wanted, int depth) const {
    constexpr int kDeepest = 8;
    if (id == kNoOrigin || depth > kDeepest) return {};
    const Origins& origins = proof_.built.origins;
    const Origin& origin = origins[id];
    if (origin.kind == wanted) return named(origin);
    for (OriginId input : origins.inputs(id)) {
      std::string found = reason(input, wanted, depth + 1);
      if (!found.empty()) return found;
    }
    return {};
  }

  std::string named(const Origin& origin) const {
    const std::string name(origin.name);
    if (origin.kind == OriginKind::Rule) return "rule `" + name + "`";
    if (origin.kind == OriginKind::Default) return "the default of `" + name + "`";
    if (origin.kind == OriginKind::Injected) return "the controller (" + name + ")";
    if (!origin.span.known()) return {};
    return "template `" + std::string(proof_.templates.name(origin.span.file)) + "`";
  }

  Session& session_;
  const Proof& proof_;
  Tree old_tree_;
  Origins old_origins_;
  Tree new_tree_;
  PodBuilder old_maker_;
  PodBuilder new_maker_;
};

}  // namespace

void prove(Session& session, const Proof& proof) {
  Prover(session, proof).run();
}

}  // namespace trainyard
