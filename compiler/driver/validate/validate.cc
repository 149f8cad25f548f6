#include "driver/validate/validate.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "check/object_checks.h"
#include "check/objects.h"
#include "driver/build/compile.h"
#include "driver/build/more_mistakes.h"
#include "driver/build/variants.h"
#include "driver/checks/controller_pods_check.h"
#include "driver/checks/file_scripts_check.h"
#include "driver/checks/partial_pods_check.h"
#include "driver/checks/repeated_objects.h"
#include "driver/checks/trainer_jobset_check.h"
#include "driver/fleet/fleet_plan.h"
#include "driver/session/cluster_check.h"
#include "driver/session/config.h"
#include "driver/session/inputs.h"
#include "driver/session/lock_files.h"
#include "driver/session/strict_documents.h"
#include "driver/session/surroundings.h"
#include "driver/session/user_schemas.h"
#include "driver/threads/ordered_work.h"
#include "driver/threads/portions.h"
#include "driver/validate/directory_parts.h"
#include "driver/validate/settle_findings.h"
#include "manifest/kinds.h"
#include "manifest/pod_templates.h"
#include "manifest/sync_moment.h"
#include "source/characters.h"
#include "source/text_parts.h"

namespace trainyard {
namespace {

/// Calls `found` for an object, or for those of a `List`.
template <class Found>
void each_object(View object, Found found) {
  if (!object->is_map()) return;
  if (!is_list(object)) return found(object);
  const View items = object["items"];
  if (!items) return;
  for (NodeId item : object.tree().children(items.id())) {
    each_object(View(object.tree(), item), found);
  }
}

/// Whether a document is needed when all inputs have been read: others may refer to an object of
/// it, or one is folded into others.
bool holds_kept(View document) {
  bool any = false;
  each_object(document, [&](View object) {
    any = any || Inventory::takes(object["apiVersion"].text(), object["kind"].text()) ||
          is_folded(object);
  });
  return any;
}

/// Whether a text may hold an object that others refer to. Says yes where it cannot tell without
/// reading the text as YAML.
bool may_hold_referred(std::string_view text) {
  if (text.find(kSyncGroup) != text.npos) return true;
  constexpr std::string_view kKey = "kind";
  for (std::size_t at = text.find(kKey); at != text.npos; at = text.find(kKey, at + 1)) {
    std::string_view rest = text.substr(at + kKey.size());
    if (rest.starts_with('"') || rest.starts_with('\'')) rest.remove_prefix(1);
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
    if (!rest.starts_with(':')) continue;
    rest.remove_prefix(1);
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    if (rest.starts_with('"') || rest.starts_with('\'')) rest.remove_prefix(1);
    const auto end = std::ranges::find_if_not(rest, is_letter);
    const std::string_view kind(rest.begin(), end);
    if (kind.empty() || Inventory::takes_kind(kind)) return true;
  }
  return false;
}

/// What all documents are checked with, on every thread.
struct Common {
  const ValidateRequest& request;
  std::unique_ptr<ClusterDocument> cluster;  // null for none
  std::vector<Document> old;
  const Inventory* inventory = nullptr;  // null when it has to be gathered from the inputs
  std::vector<AppliedTogether> together = {};
  Overlays overlays = {};
  bool scripts = false;  // ConfigMaps with scripts may be among the inputs

  /// The object that one is to replace; null when it is new.
  const Tree* replaced_by(View object) const {
    for (const Document& each : old) {
      if (is_same_object(each.root(), object)) return &each.tree;
    }
    return nullptr;
  }
};

/// An object whose checks ask for others, which are still to come.
struct Rest {
  NodeId object = kNoNode;
  std::string path;             // in its document
  std::vector<NodeId> flagged;  // the places that its schema has complained about
};

/// A document that is needed when all have been read.
struct Kept {
  Document document;
  Sink found;  // what is to be said together with the rest
  std::vector<Rest> rests;
};

/// What some documents came to, besides what was said of them.
struct Found {
  ValidateResult result;
  std::deque<Kept> kept;
  std::vector<SeenObject> named;
};

class Validator {
 public:
  Validator(Session& session, const Common& common)
      : session_(session),
        common_(common),
        surroundings_(surroundings_of(session, common.cluster.get(), common.inventory)) {}

  ValidateResult result() const { return result_; }

  /// The document loses its tree when that is needed again when all have been read.
  void one(Document& document) {
    if (is_no_object(document)) return;
    const std::string_view program = configured_program(document.api_version, document.kind);
    if (!program.empty()) {
      return ignore(document.root()["kind"]->span,
                    "this configures " + std::string(program) + ", and is no object of a cluster");
    }
    if (document.from_directory && is_something_else(document)) {
      // Data of all sorts is JSON, and many notes would hide the rest.
      if (document.path.ends_with(".json")) return;
      return ignore(document.root()->span, "this is no Kubernetes object");
    }
    if (document.from_directory && is_part_to_lay_over(document) && !is_listed(document.file)) {
      return ignore(document.root()["kind"]->span, "this is a part to merge into a whole object");
    }
    if (document.from_directory && is_of_other_release(document)) return;
    ++result_.documents;
    const bool ours = document.api_version.starts_with("trainyard/");
    if (ours && took(document)) return;
    name_items(document.tree, document.tree.root(), session_.schema_sources());
    const std::size_t errors = session_.sink.error_count();
    const std::size_t before = session_.sink.all().size();
    std::vector<Rest> rests;
    Sink found;
    const ValidateRequest& request = common_.request;
    passes_unknown_kinds_ =
        request.ignore_unknown_kinds || (document.from_directory && !request.refuse_unknown_kinds);
    object(document.tree, document.tree.root(), "", found, rests);
    if (rests.empty()) {
      report(found);
      made_pods(document);
    }
    const bool good = session_.sink.error_count() == errors;
    if (ours && good && document.kind == "Cluster") {
      const Tree& tree = document.tree;
      check_cluster(session_, decode_cluster(tree, tree.root(), session_.sink));
    }
    const std::vector<View> parts = with_parts(document);
    if (common_.inventory != nullptr) check_parts(session_, parts, surroundings_, before);
    const bool alone = common_.inventory != nullptr ||
                       (parts.empty() && !may_run_files(document) && !holds_kept(document.root()));
    if (rests.empty() && alone) return;
    if (rests.empty()) found.clear();  // which has been said
    kept_.push_back({std::move(document), std::move(found), std::move(rests)});
  }

  /// Checks a document of ours, but for those that are checked as objects are.
  bool took(Document& document) {
    strict_.take(session_, document);
    if (document.kind == "TrainingJob") {
      for_each_variant(session_, document, [this](Document& variant) {
        compile(session_, variant, common_.cluster.get(), common_.request.target, compilation_);
      });
    } else if (document.kind == "Lock") {
      check_lock(session_, document.tree);
    } else if (document.kind == "TrainingJobLayer") {
      check_layer(session_, document);
    } else if (document.kind == "Fleet") {
      plan_fleet(session_, document);
    } else {
      return false;
    }
    return true;
  }

  /// What it has come to so far, which it forgets.
  Found take() {
    return {std::exchange(result_, {}), std::exchange(kept_, {}), std::exchange(named_, {})};
  }

  /// Takes over what another has come to.
  void add(Found other) {
    result_.documents += other.result.documents;
    result_.ignored += other.result.ignored;
    std::ranges::move(other.kept, std::back_inserter(kept_));
    std::ranges::move(other.named, std::back_inserter(named_));
  }

  /// When all inputs have been read: what had to wait for that. Returns what is found of objects
  /// as kustomizations make them.
  std::vector<Diagnostic> check_waiting(unsigned workers) {
    Inventory inventory(common_.cluster == nullptr ? nullptr : &common_.cluster->inventory);
    for (const Kept& each : kept_) {
      each_object(each.document.root(), [&](View object) { inventory.add(object); });
    }
    surroundings_.inventory = &inventory;
    finish_all(workers);
    std::vector<View> folded;
    for (const Kept& each : kept_) {
      each_object(each.document.root(), [&](View object) {
        if (is_folded(object)) folded.push_back(object);
      });
    }
    check_folded(session_, folded, surroundings_);
    std::vector<View> parts;
    if (common_.inventory == nullptr) {
      for (const Kept& each : kept_)
        std::ranges::copy(with_parts(each.document), std::back_inserter(parts));
    }
    check_parts(session_, parts, surroundings_, 0);
    std::vector<View> runners;
    for (const Kept& each : kept_) {
      if (!may_run_files(each.document)) continue;
      each_object(each.document.root(), [&](View object) { runners.push_back(object); });
    }
    check_file_scripts(session_, runners, surroundings_);
    check_repeated(session_, named_, common_.together, surroundings_);
    return check_overlays(session_, common_.overlays, surroundings_);
  }

 private:
  /// Whether only a definition for another release describes it; a note says so.
  bool is_of_other_release(const Document& document) {
    const std::string_view release = folder_of_other_release(document, session_);
    if (release.empty()) return false;
    ignore(document.root()["kind"]->span, "this is of release `" + std::string(release) +
                                              "`, and the definition of its kind is not");
    return true;
  }

  /// Whether a kustomization makes a whole object of it.
  bool is_listed(FileId file) const {
    return std::ranges::any_of(common_.together, [&](const AppliedTogether& each) {
      return !each.kustomization.empty() && std::ranges::find(each.files, file) != each.files.end();
    });
  }

  /// What documents were waiting for, some of them at a time.
  void finish_all(unsigned workers) {
    constexpr std::size_t kAtOnce = 16;
    std::vector<Kept*> waiting;
    for (Kept& each : kept_) {
      if (!each.rests.empty()) waiting.push_back(&each);
    }
    if (workers < 2 || waiting.size() < 4 * kAtOnce) {
      for (Kept* each : waiting) finish(*each);
      return;
    }
    struct Helper {
      std::unique_ptr<Session> session;
      std::unique_ptr<Validator> validator;
    };
    std::vector<Helper> helpers(workers);
    for (Helper& helper : helpers) {
      helper.session = session_.fork();
      helper.validator = std::make_unique<Validator>(*helper.session, common_);
      helper.validator->surroundings_.inventory = surroundings_.inventory;
    }
    std::vector<Sink> found((waiting.size() + kAtOnce - 1) / kAtOnce);
    work_in_order(
        found.size(), workers,
        [&](std::size_t item, unsigned worker) {
          const Helper& helper = helpers[worker];
          const std::size_t end = std::min((item + 1) * kAtOnce, waiting.size());
          for (std::size_t i = item * kAtOnce; i < end; ++i) helper.validator->finish(*waiting[i]);
          found[item] = std::exchange(helper.session->sink, {});
        },
        [&](std::size_t item) {
          for (const Diagnostic& each : found[item].all()) session_.sink.report(each);
          found[item] = {};
          return true;
        });
  }

  /// Says what is left to say of a document.
  void finish(Kept& kept) {
    report(kept.found);
    for (Rest& rest : kept.rests) {
      Sink found;
      const Tree& tree = kept.document.tree;
      run_checks_of(tree, rest.object, std::move(rest.flagged), surroundings_, found,
                    common_.replaced_by(View(tree, rest.object)));
      add_at(rest.path, found, session_.sink);
    }
    made_pods(kept.document);
  }

  /// Whether pods of it may run scripts that ConfigMaps among the inputs hold.
  bool may_run_files(const Document& document) const {
    if (!common_.scripts) return false;
    return session_.sources.text(document.root()->span).find("configMap") != std::string_view::npos;
  }

  std::vector<View> with_parts(const Document& document) {
    std::vector<View> found;
    if (!may_have_parts(document.api_version, document.kind, session_)) return found;
    each_object(document.root(), [&](View object) {
      if (has_parts(object, session_)) found.push_back(object);
    });
    return found;
  }

  void ignore(Span place, std::string reason) {
    Diagnostic other(DiagnosticKind::UnknownKind, place,
                     std::move(reason) + "; Trainyard ignores it");
    other.severity = Severity::Note;
    session_.sink.report(std::move(other));
  }

  void report(const Sink& found) {
    for (const Diagnostic& each : found.all()) session_.sink.report(each);
  }

  void made_pods(const Document& document) {
    each_object(document.root(),
                [&](View object) { check_made_pods(session_, object, surroundings_); });
  }

  /// What was found in an object at `path` of its document.
  static void add_at(const std::string& path, const Sink& found, Sink& sink) {
    for (Diagnostic each : found.all()) {
      if (!path.empty()) each.path = each.path.empty() ? path : path + "." + each.path;
      sink.report(std::move(each));
    }
  }

  /// An object, or those of a `List`, as `kubectl get -o yaml` prints them. What has to wait is
  /// added to `rests`.
  void object(const Tree& tree, NodeId root, const std::string& path, Sink& sink,
              std::vector<Rest>& rests) {
    const View view(tree, root);
    if (passes_unknown_kinds_ && is_of_unknown_kind(view, session_.schema_sources()) &&
        !is_mistaken_kind(view, session_.schema_sources())) {
      ++result_.ignored;
      if (path.empty()) --result_.documents;
      Sink found;  // of the policies of a user
      session_.policies.check(view, false, found);
      return add_at(path, found, sink);
    }
    const bool ours = view["apiVersion"].text().starts_with("trainyard/");
    if (!ours && !is_list(view)) remember(view, named_);
    Sink found;
    auto flagged = check_shape(tree, root, session_.sources, session_.schema_sources(),
                               surroundings_, found, common_.replaced_by(view));
    if (flagged && surroundings_.inventory != nullptr) {
      run_checks_of(tree, root, std::move(*flagged), surroundings_, found,
                    common_.replaced_by(view));
      flagged.reset();
    }
    if (!is_list(view) && view->is_map() && !ours) session_.policies.check(view, false, found);
    add_at(path, found, sink);
    if (flagged) rests.push_back({root, path, std::move(*flagged)});
    if (!is_list(view)) return;
    std::size_t index = 0;
    for (NodeId item : tree.children(view["items"].id())) {
      const std::string place =
          (path.empty() ? "" : path + ".") + "items[" + std::to_string(index++) + "]";
      if (tree[item].is_map()) object(tree, item, place, sink, rests);
    }
  }

  Session& session_;
  const Common& common_;
  Compilation compilation_;
  CheckInputs surroundings_;
  std::deque<Kept> kept_;  // which stay in place, for views lead into them
  std::vector<SeenObject> named_;
  ValidateResult result_;
  StrictDocuments strict_;
  bool passes_unknown_kinds_ = false;  // in the current document
};

/// What a worker has done of a portion.
struct Checked {
  Found found;
  bool all_done = true;  // else it has to be done again
};

/// What is found of objects as kustomizations make them goes to `of_overlays`.
ValidateResult check_all(Session& session, const Common& common, std::vector<InputPart> inputs,
                         std::vector<Diagnostic>& of_overlays) {
  const unsigned workers = common.request.workers == 0 ? default_workers() : common.request.workers;
  Validator validator(session, common);
  std::vector<std::unique_ptr<Validator>> others(workers);
  PortionWork<Checked> work;
  work.ambiguity = Ambiguity::Kubernetes;
  work.keeps_findings = true;
  work.make = [&](Session& own, unsigned worker, Document& document, Checked& checked) {
    if (!checked.all_done) return;
    if (!others[worker]) others[worker] = std::make_unique<Validator>(own, common);
    const std::size_t before = own.sink.all().size();
    const bool ours = document.api_version.starts_with("trainyard/");
    others[worker]->one(document);
    // Findings of a document of ours depend on earlier findings, and on what counts as an
    // error in this run.
    checked.all_done = !ours || own.sink.all().size() == before;
  };
  work.finish = [&](unsigned worker, Checked& checked) {
    if (others[worker]) checked.found = others[worker]->take();
  };
  work.merge = [&](Checked&& checked, const FileNumbers&) {
    if (checked.all_done) validator.add(std::move(checked.found));
    return checked.all_done;
  };
  work.again = [&](Document& document) { validator.one(document); };
  run_portions(session, cut_inputs(std::move(inputs), workers, session), workers, work);
  of_overlays = validator.check_waiting(workers);
  return validator.result();
}

/// Each object of a List as a document of its own, as which it is looked for.
void take_from_lists(std::vector<Document>& documents, Session& session) {
  std::vector<Document> objects;
  for (Document& document : documents) {
    name_items(document.tree, document.tree.root(), session.schema_sources());
    if (!is_list(document.root())) {
      objects.push_back(std::move(document));
      continue;
    }
    each_object(document.root(), [&](View object) {
      Document alone;
      alone.path = document.path;
      alone.file = document.file;
      alone.tree.set_root(alone.tree.copy(object.tree(), object.id()));
      objects.push_back(std::move(alone));
    });
  }
  documents = std::move(objects);
}

}  // namespace

ValidateResult validate(Session& session, const ValidateRequest& request) {
  Common common{request, nullptr, {}};
  if (!request.cluster.empty()) {
    common.cluster = read_cluster(session, request.cluster);
    if (common.cluster == nullptr) {
      report_mistakes_behind_cluster(session, request.cluster, request.inputs, request.target);
      return {};
    }
  }
  common.old = read_inputs(request.old, session.env, session.sources, session.sink, session.limits,
                           Ambiguity::Kubernetes);
  session.kubernetes = kubernetes_version(request.kubernetes);
  std::vector<InputPart> inputs =
      open_inputs(request.inputs, session.env, session.sources, session.sink, session.limits,
                  request.as_walked ? NamedInputs::AsWalked : NamedInputs::Always);
  common.together = leave_out_parts(inputs, request.as_walked, session, &common.overlays);
  load_input_schemas(session, inputs);
  take_from_lists(common.old, session);
  const Inventory stated(common.cluster == nullptr ? nullptr : &common.cluster->inventory);
  const bool is_all = std::ranges::none_of(inputs, [&](const InputPart& input) {
    return may_hold_referred(session.sources.text(input.file));
  });
  if (is_all) common.inventory = &stated;
  common.scripts = !is_all && std::ranges::any_of(inputs, [&](const InputPart& input) {
    return session.sources.text(input.file).find("ConfigMap") != std::string_view::npos;
  });
  FilesOfRun files;
  for (const InputPart& input : inputs) {
    if (input.from_directory) files.walked.insert(input.file);
  }
  for (const Overlay& each : common.overlays.all) {
    files.walked.insert(each.patches.begin(), each.patches.end());
  }
  files.together = common.together;
  files.rendered = request.rendered;
  ValidateResult result = check_all(session, common, std::move(inputs), files.of_overlays);
  const std::size_t templates = settle_findings(files, session.sources, session.sink);
  result.documents -= std::min(result.documents, templates);
  return result;
}

}  // namespace trainyard
