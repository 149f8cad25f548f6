#include "driver/convert/convert_files.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "convert/convert.h"
#include "convert/job_metadata.h"
#include "convert/other_tools.h"
#include "diag/credentials.h"
#include "diag/secrets.h"
#include "diag/words.h"
#include "driver/checks/path_at.h"
#include "driver/convert/all_numbers.h"
#include "driver/convert/fabric_builds.h"
#include "driver/convert/plain_names.h"
#include "driver/convert/proof.h"
#include "driver/convert/spec_trial.h"
#include "driver/convert/trial_build.h"
#include "driver/format/document_order.h"
#include "driver/session/document_size.h"
#include "driver/session/inputs.h"
#include "driver/session/surroundings.h"
#include "emit/field_order.h"
#include "manifest/program_jobs.h"
#include "tree/typed_fields.h"
#include "tree/yaml_writer.h"

namespace trainyard {
namespace {

using Rank = std::function<std::size_t(std::string_view path, std::string_view key)>;

/// Fields in the order of the language's schema; what is in Kubernetes' own shapes stays.
void order_by_schema(Tree& tree, NodeId id, const std::string& path, const Rank& rank) {
  std::vector<NodeId> children;
  for (NodeId child : tree.children(id)) children.push_back(child);
  if (tree[id].is_map()) {
    std::vector<std::pair<std::size_t, NodeId>> ranked;
    for (NodeId child : children) ranked.emplace_back(rank(path, tree[child].key), child);
    std::ranges::stable_sort(ranked, {}, &std::pair<std::size_t, NodeId>::first);
    std::ranges::transform(ranked, children.begin(), &std::pair<std::size_t, NodeId>::second);
    tree.reorder(id, children);
  }
  for (NodeId child : children) {
    const std::string key(tree[child].key);
    if (tree[id].is_seq()) {
      order_by_schema(tree, child, path + "[]", rank);
    } else if (key.find_first_of(".[]") == std::string::npos) {
      order_by_schema(tree, child, path.empty() ? key : path + "." + key, rank);
    }
  }
}

/// A kind that others would convert, or that a build makes and that does not come back.
struct UnreadKind {
  std::string_view kind;
  std::string_view because;
  std::string_view advice;
};
constexpr std::string_view kEntities =
    "its models and datasets are entities of the NeMo platform, and say no address";
constexpr std::string_view kNemo =
    "say in `data` where they are, and build for target `nemo`, which makes these objects";
constexpr std::string_view kServes = "it serves a model, and a job of the input is what trains one";
constexpr std::string_view kServing = "say it in `serve` of the spec; target `nim` makes it";
constexpr std::string_view kRay = "it runs Ray, and says no program";
constexpr std::string_view kRayJob =
    "put its `spec` into `rayClusterSpec` of a RayJob with the `entrypoint`, and convert that";
constexpr std::string_view kPod = "no controller starts it again or gives it a rank";
constexpr std::string_view kJob =
    "put its `spec` into the template of a Job with `restartPolicy: Never`, and convert that";
constexpr UnreadKind kUnread[] = {{"Pod", kPod, kJob},
                                  {"RayCluster", kRay, kRayJob},
                                  {"NemoTrainingJob", kEntities, kNemo},
                                  {"NemoTrainingWorkload", kEntities, kNemo},
                                  {"NemoEntityHandler", kEntities, kNemo},
                                  {"NIMService", kServes, kServing},
                                  {"NIMCache", kServes, kServing},
                                  {"NemoCustomizer", "it is part of the platform, and of no job",
                                   "`nemo.customizer` of the Cluster makes it"}};

const UnreadKind* find_unread(std::string_view kind) {
  const auto* found = std::ranges::find(kUnread, kind, &UnreadKind::kind);
  return found == std::end(kUnread) ? nullptr : found;
}

class Converter {
 public:
  Converter(Session& session, const ConvertRequest& request)
      : session_(session), request_(request) {}

  ConvertResult run() {
    std::unique_ptr<ClusterDocument> cluster;
    if (!request_.cluster.empty()) {
      cluster = read_cluster(session_, request_.cluster);
      if (cluster == nullptr) return {};
    }
    const Versions versions = versions_for(session_, cluster.get());
    documents_ = read_inputs(request_.inputs, session_.env, session_.sources, session_.sink,
                             session_.limits, Ambiguity::Kubernetes);
    if (session_.sink.has_errors()) return {};
    runs_ = use_plain_names(documents_);
    if (cluster != nullptr && cluster->cluster.spec->gitops->tool) {
      runs_.clear();                            // the Cluster asks for them
      cluster->cluster.spec.value.gitops = {};  // specs are built for the names of jobs
    }
    for (Document& each : documents_) {
      if (is_app_wrapper(each.root())) {
        unwrap(each.tree, each.root().id());
      } else {
        take(each.root());
      }
    }
    tell_other_tools(objects_, session_.sink);
    trial_session_ = session_.fork();
    FabricBuilds fabrics(*trial_session_, cluster.get());
    ConvertInput input{objects_, versions, session_.schemas, &fabrics};
    if (cluster != nullptr) {
      for (const Text& each : *cluster->cluster.spec->network->dns_addresses) {
        input.dns_addresses.emplace_back(*each);
      }
    }
    trials_ = std::make_unique<TrialBuilds>(*trial_session_, cluster.get());
    if (cluster != nullptr && cluster->cluster.spec->defaults->target) {
      usual_target_ = *cluster->cluster.spec->defaults->target;
    }
    convert_all(input);
    if (session_.sink.has_errors()) return {};
    if (request_.output_file.empty()) {
      result_.stream = std::move(text_);
    } else {
      write();
    }
    return std::move(result_);
  }

 private:
  void take(View object) {
    if (!object || !object->is_map()) return;
    if (string_at(object, "apiVersion") == "v1" && string_at(object, "kind") == "List") {
      for (View each : items_at(object, "items")) take(each);
      return;
    }
    objects_.push_back(object);
  }

  static bool is_app_wrapper(View object) {
    return object && string_at(object, "kind") == "AppWrapper" &&
           string_at(object, "apiVersion").starts_with("workload.codeflare.dev/");
  }

  /// The objects inside of an AppWrapper, in its namespace; its jobs are queued as it is.
  /// project-codeflare/appwrapper api/v1beta2/appwrapper_types.go
  void unwrap(Tree& tree, NodeId wrapper) {
    const NodeId metadata = tree.find(wrapper, "metadata");
    for (NodeId component : tree.children(tree.find(tree.find(wrapper, "spec"), "components"))) {
      const NodeId object = tree.find(component, "template");
      const NodeId own = tree.find(object, "metadata");
      if (own == kNoNode || !tree[own].is_map()) continue;
      const NodeId name_space = tree.find(metadata, "namespace");
      if (name_space != kNoNode) inherit(tree, own, name_space);
      objects_.push_back(View(tree, object));
      if (!is_convertible(objects_.back())) continue;
      for (NodeId label : tree.children(tree.find(metadata, "labels"))) {
        if (!tree[label].key.starts_with("kueue.x-k8s.io/")) continue;
        if (tree.find(own, "labels") == kNoNode) tree.append(own, "labels", tree.add_map());
        inherit(tree, tree.find(own, "labels"), label);
      }
    }
  }

  static void inherit(Tree& tree, NodeId map, NodeId value) {
    const std::string_view key = tree[value].key;
    if (tree.find(map, key) == kNoNode) tree.append(map, key, tree.copy(tree, value));
  }

  void convert_all(const ConvertInput& input) {
    const Rank rank = document_order("TrainingJob");
    bool is_too_large = false;
    for (std::size_t at = 0; at < objects_.size(); ++at) {
      session_.env.tell({at, objects_.size(), "objects"});
      const View each = objects_[at];
      const bool is_done = used_.contains({&each.tree(), each.id()});  // with another program's Job
      if (!is_convertible(each) || is_done) continue;
      if (!has_sensible_size(session_, each)) {
        is_too_large = true;
        continue;
      }
      const std::size_t errors = session_.sink.error_count();
      if (!has_all_numbers(session_, each)) {
        used_.insert({&each.tree(), each.id()});
        continue;
      }
      Tree tree;
      Origins origins;
      ConvertedJob job = converted(input, each, tree, origins);
      for (View used : job.used) used_.insert({&used.tree(), used.id()});
      if (session_.sink.error_count() != errors) continue;
      if (job.root == kNoNode) {
        refused_.push_back(std::move(job));
        continue;
      }
      report(job);
      for (const FabricLook& look : job.looks) report(look);
      if (result_.jobs++ != 0) text_ += "---\n";
      text_ += without_credentials(proved(tree, origins, job, rank, input), each);
    }
    if (is_too_large) return;
    for (const ConvertedJob& each : refused_) report_refusal(each);
    if (result_.jobs == 0 && refused_.empty() && !session_.sink.has_errors()) {
      std::string kinds;
      for (const std::string& each : convertible_kinds()) {
        kinds += (kinds.empty() ? "`" : ", `") + each + "`";
      }
      session_.sink
          .report(DiagnosticKind::NothingToConvert, {},
                  "the input has no job that can be converted")
          .note("convert reads " + kinds);
    }
    for (View each : objects_) {
      if (!used_.contains({&each.tree(), each.id()})) report_unused(each);
    }
  }

  /// Parts of a fabric stay parts where a build for it refuses what else the job has.
  ConvertedJob converted(const ConvertInput& input, View object, Tree& tree, Origins& origins) {
    ConvertedJob job = made_of(input, object, tree, origins);
    if (job.root == kNoNode || !request_.proof) return job;
    const View spec = get(View(tree, job.root), "spec");
    if (!get(get(spec, "network"), "fabric") || builds(tree, job, origins)) return job;
    ConvertInput parts = input;
    parts.fabrics = nullptr;
    ConvertedJob other = made_of(parts, object, tree, origins);
    return builds(tree, other, origins) ? other : job;
  }

  /// In the form of specs, with the target of its kind unless builds take it anyway.
  ConvertedJob made_of(const ConvertInput& input, View object, Tree& tree, Origins& origins) {
    ConvertedJob job = convert_object(input, object, tree, origins, session_.sink);
    if (job.root == kNoNode) return job;
    into_written_form(tree, job.root);
    const NodeId spec = tree.find(job.root, "spec");
    const std::string_view target = target_of_kind(job.from);
    // A build makes no Jobs of several programs unless a spec says so.
    const bool is_usual = target == usual_target_ && !program_of(job.from);
    if (tree.find(spec, "target") == kNoNode && !target.empty() && !is_usual) {
      tree.append(spec, "target", tree.add_string(target));
    }
    return job;
  }

  bool builds(const Tree& tree, const ConvertedJob& job, const Origins& origins) {
    std::string text;
    write_yaml(tree, job.root, text);
    name_secrets(text);
    return SpecTrial(*trials_, View(tree, job.root), origins).run(std::move(text));
  }

  /// The text of a spec.
  std::string proved(Tree& tree, const Origins& origins, const ConvertedJob& job, const Rank& rank,
                     const ConvertInput& input) {
    const NodeId spec = tree.find(job.root, "spec");
    if (rank) order_by_schema(tree, job.root, {}, rank);
    std::string text;
    write_yaml(tree, job.root, text);
    if (request_.proof) check(text, SpecTrial(*trials_, View(tree, job.root), origins), job, input);
    if (!runs_.contains(std::string(string_at(get(job.from, "metadata"), "name")))) return text;
    tree.append(spec, "rerun", tree.add_string(spelling(Rerun::NewName)));
    if (rank) order_by_schema(tree, job.root, {}, rank);
    text.clear();
    write_yaml(tree, job.root, text);
    return text;
  }

  /// Builds a spec, and compares what comes of it with the input.
  void check(std::string text, SpecTrial trial, const ConvertedJob& job,
             const ConvertInput& input) {
    const bool has_all_names = name_secrets(text);
    if (!trial.run(std::move(text))) return refuse(trial, job.from);
    if (!has_all_names) ask_for_secrets(job.from);
    if (!trial.to_fill().empty()) ask_for_values(trial.to_fill(), job.from);
    if (!given_) {
      given_.emplace();
      for (View each : input.objects) given_->add(each);
    }
    prove(session_, {job.from, *given_, input.versions, job, trials_->made(), trials_->sources(),
                     trial.to_fill()});
  }

  /// Gives names to the Secrets that the user has yet to name. False if there are any.
  static bool name_secrets(std::string& text) {
    bool had_all = true;
    for (std::size_t at = text.find(kSecretToName); at != text.npos;
         at = text.find(kSecretToName, at)) {
      had_all = false;
      text.replace(at, kSecretToName.size(), kNamedSecret);
    }
    return had_all;
  }

  void refuse(const SpecTrial& trial, View object) {
    const Diagnostic& refusal = trial.refusal();
    const View kind = get(object, "kind");
    const Span place = trial.place_in_input(refusal.span);
    Diagnostic report(DiagnosticKind::SpecDoesNotBuild,
                      place.known() ? place : (kind ? kind : object)->span,
                      "the spec of this job does not build: " + refusal.message);
    report.severity = Severity::Error;
    if (place.known()) report.at(path_at(object, place));
    const std::string field = trial.field_of_spec(refusal.span);
    if (!place.known() && !field.empty()) report.note("it stands at `" + field + "` of the spec");
    for (const std::string& each : refusal.notes) {
      if (!each.starts_with("found ")) report.note(each);  // in what the user does not see
    }
    report.note(
        "correct it in the manifest; or `--no-proof` writes the spec, and `trainyard build` shows "
        "the line");
    session_.sink.report(std::move(report));
  }

  void ask_for_values(const std::vector<ValueToFill>& values, View object) {
    const View kind = get(object, "kind");
    std::vector<std::string> texts;
    for (const ValueToFill& each : values) texts.push_back(without_secrets(each.text));
    const Span place = values.front().at;
    session_.sink
        .report(DiagnosticKind::SpecDoesNotBuild,
                place.known() ? place : (kind ? kind : object)->span,
                "the spec of this job builds after you fill in " + listed(texts, "and"))
        .at(path_at(object, place))
        .note("replace it in the spec; or fill it in here, and convert the result");
  }

  void ask_for_secrets(View object) {
    const View kind = get(object, "kind");
    session_.sink.report(DiagnosticKind::SpecDoesNotBuild, (kind ? kind : object)->span,
                         "the spec of this job builds after you replace `" +
                             std::string(kSecretToName) + "` by the name of a Secret");
  }

  /// What is in a field where no value is expected.
  std::string without_credentials(std::string spec, View object) {
    const std::vector<CredentialFinding> found = find_secrets(spec);
    if (found.empty()) return spec;
    const View kind = get(object, "kind");
    session_.sink
        .report(DiagnosticKind::NotCarried, (kind ? kind : object)->span,
                std::string(found.front().what) + " is not carried: a spec must not hold one")
        .note("a mask stands in its place; put it into a Secret and refer to that");
    for (auto each = found.rbegin(); each != found.rend(); ++each) {
      spec.replace(each->begin, each->end - each->begin, kSecretMask);
    }
    return spec;
  }

  void report(const ConvertedJob& job) {
    for (const NotCarried& each : job.lost) {
      Diagnostic& report =
          session_.sink.report(DiagnosticKind::NotCarried, place(each.at),
                               "`" + (each.path.empty() ? "the object" : each.path) +
                                   "` is not carried: " + each.reason);
      report.at(each.path).note(each.advice);
      if (each.is_secret) report.redact(each.at->span);
    }
  }

  /// An error where no other job of the input becomes a spec.
  void report_refusal(const ConvertedJob& job) {
    const NotCarried& why = job.lost.front();
    const DiagnosticKind kind =
        result_.jobs == 0 ? DiagnosticKind::NothingToConvert : DiagnosticKind::NotConverted;
    const View of_object = get(job.from, "kind");
    session_.sink
        .report(kind, why.path.empty() && of_object ? of_object->span : place(why.at),
                "`" + label_of(job.from) + "` cannot be converted: " + why.reason)
        .at(why.path)
        .note(why.advice);
  }

  /// `Job/train`
  static std::string label_of(View object) {
    const std::string_view name = string_at(get(object, "metadata"), "name");
    return std::string(string_at(object, "kind")) + (name.empty() ? "" : "/") + std::string(name);
  }

  /// Nothing is lost by this, so it is no more than a note.
  void report(const FabricLook& look) {
    Diagnostic note(DiagnosticKind::NotCarried, look.at->span,
                    "fabric `" + look.fabric + "` is not carried as such, only its parts: by " +
                        look.evidence +
                        " these pods look like it, and are not as a build makes them");
    note.severity = Severity::Note;
    for (const std::string& each : look.differences) note.note(each);
    if (look.refused && request_.cluster.empty()) {
      note.note("names of networks and resources are the Cluster's: give it by `--cluster`");
    }
    note.note("`network: {fabric: " + look.fabric +
              "}` in place of these parts lets a build check and update them");
    session_.sink.report(std::move(note));
  }

  /// A field is found by its name; its value may be far below.
  static Span place(View at) { return at->key_span.known() ? at->key_span : at->span; }

  void report_unused(View object) {
    const std::string_view kind = string_at(object, "kind");
    const View at = get(object, "kind") ? get(object, "kind") : object;
    std::string what = kind.empty() ? "an object without a kind" : "`" + label_of(object) + "`";
    if (const UnreadKind* unread = find_unread(kind)) {
      session_.sink
          .report(DiagnosticKind::NotConverted, at->span,
                  std::move(what) + " is not read: " + std::string(unread->because))
          .note(std::string(unread->advice));
      return;
    }
    const std::vector<std::string> known = convertible_kinds();
    if (std::ranges::find(known, kind) != known.end()) {
      session_.sink
          .report(DiagnosticKind::NotConverted, at->span,
                  std::move(what) + " is not read: " + shown(string_at(object, "apiVersion")) +
                      " is no API in which this kind is known")
          .note(
              "`trainyard validate` names the API that has it; write that `apiVersion`, and what "
              "has changed since");
      return;
    }
    session_.sink
        .report(DiagnosticKind::NotConverted, at->span,
                std::move(what) + " is not a job, and no converted job uses it")
        .note("apply it beside the job, as before, where the job still needs it");
  }

  void write() {
    FileSystem& files = session_.env.files;
    const FileRead old = files.read(request_.output_file, session_.limits.bytes);
    if (!old.error && old.text == text_) return;
    const bool is_there = !old.error || old.error->reason != FileError::Reason::NotFound;
    if (is_there && !request_.force) {
      session_.sink
          .report(DiagnosticKind::OutputConflict, {},
                  "`" + request_.output_file + "` exists and holds something else")
          .note("choose another file, or write over it with `--force`");
      return;
    }
    if (const auto error = files.write(request_.output_file, text_)) {
      session_.sink.report(DiagnosticKind::OutputFailed, {},
                           "`" + request_.output_file + "`: " + error->message);
      return;
    }
    result_.written = request_.output_file;
  }

  Session& session_;
  const ConvertRequest& request_;
  std::vector<Document> documents_;
  std::set<std::string> runs_;  // jobs whose runs have names of their own
  std::vector<View> objects_;
  std::set<std::pair<const Tree*, NodeId>> used_;
  std::vector<ConvertedJob> refused_;
  std::optional<Inventory> given_;          // once a job is compared with what is built of its spec
  std::unique_ptr<Session> trial_session_;  // reads templates and machines once for all trials
  std::unique_ptr<TrialBuilds> trials_;
  std::string usual_target_ = "job";  // of a spec that names none
  std::string text_;
  ConvertResult result_;
};

}  // namespace

ConvertResult convert_files(Session& session, const ConvertRequest& request) {
  return Converter(session, request).run();
}

}  // namespace trainyard
