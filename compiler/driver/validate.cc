#include "driver/validate.h"

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "check/kinds.h"
#include "check/objects.h"
#include "driver/cluster_check.h"
#include "driver/compile.h"
#include "driver/folded_check.h"
#include "driver/inputs.h"
#include "driver/surroundings.h"
#include "driver/user_schemas.h"
#include "emit/provenance.h"

namespace trainyard {
namespace {

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

/// What belongs into a directory of manifests and is no object: a kustomization, which may leave
/// out its kind, and our own maps of causes.
bool is_no_object(const Document& document) {
  if (document.api_version.starts_with("kustomize.config.k8s.io/")) return true;
  const std::string_view name = file_name(document.path);
  const bool kustomization = name == "kustomization.yaml" || name == "kustomization.yml";
  if (kustomization && document.kind.empty()) return true;
  return name.ends_with(kProvenanceSuffix) && document.root()["entries"];
}

/// The group of an apiVersion: an object may be read in one version and written in another.
std::string_view group_of(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == api_version.npos ? std::string_view() : api_version.substr(0, slash);
}

bool is_same_object(View a, View b) {
  const View x = a["metadata"];
  const View y = b["metadata"];
  return a["kind"].text() == b["kind"].text() &&
         group_of(a["apiVersion"].text()) == group_of(b["apiVersion"].text()) &&
         x["name"].text() == y["name"].text() && x["namespace"].text() == y["namespace"].text();
}

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

class Validator {
 public:
  Validator(Session& session, const ValidateRequest& request)
      : session_(session), request_(request) {}

  ValidateResult run() {
    if (!request_.cluster.empty()) {
      cluster_ = read_cluster(session_, request_.cluster);
      if (cluster_ == nullptr) return {};
    }
    old_ = read_inputs(request_.old, session_.env, session_.sources, session_.sink, session_.limits,
                       Ambiguity::Kubernetes);
    session_.kubernetes = kubernetes_version(request_.kubernetes);
    surroundings_ = surroundings_of(session_, cluster_.get(), nullptr);
    const std::vector<InputPart> inputs = open_inputs(
        request_.inputs, session_.env, session_.sources, session_.sink, session_.limits);
    load_input_schemas(session_, inputs);
    for (const InputPart& input : inputs) {
      for_each_document_of(input, session_.env, session_.sources, session_.sink, session_.limits,
                           Ambiguity::Kubernetes, [this](Document& document) { one(document); });
    }
    check_waiting();
    return {documents_, ignored_};
  }

 private:
  void one(Document& document) {
    if (is_no_object(document)) return;
    ++documents_;
    const bool ours = document.api_version.starts_with("trainyard/");
    if (ours) take_as_build_does(document);
    if (ours && document.kind == "TrainingJob") {
      compile(session_, document, cluster_.get(), request_.target, compilation_);
      return;
    }
    name_items(document.tree, document.tree.root(), session_.schema_sources());
    const std::size_t errors = session_.sink.error_count();
    const bool waits = !check(document);
    const bool good = session_.sink.error_count() == errors;
    if (ours && good && document.kind == "Cluster") {
      const Tree& tree = document.tree;
      check_cluster(session_, decode_cluster(tree, tree.root(), session_.sink));
    }
    if (waits || holds_kept(document.root())) kept_.push_back({std::move(document), waits});
  }

  /// Checks what a document holds. False when it has to wait for the others, with nothing said.
  bool check(const Document& document) {
    Sink found;
    const bool done = object(document.tree, document.tree.root(), "", found);
    if (!done && surroundings_.inventory == nullptr) return false;
    for (Diagnostic each : found.all()) {
      session_.sink.report(std::move(each));
    }
    return true;
  }

  /// When all inputs have been read: what had to wait for that.
  void check_waiting() {
    Inventory inventory(cluster_ == nullptr ? nullptr : &cluster_->inventory);
    for (const Kept& each : kept_) {
      each_object(each.document.root(), [&](View object) { inventory.add(object); });
    }
    surroundings_.inventory = &inventory;
    for (const Kept& each : kept_) {
      if (each.waits) check(each.document);
    }
    std::vector<View> folded;
    for (const Kept& each : kept_) {
      each_object(each.document.root(), [&](View object) {
        if (is_folded(object)) folded.push_back(object);
      });
    }
    check_folded(session_, folded, surroundings_);
    surroundings_.inventory = nullptr;
  }

  /// The same document without the leniency that foreign manifests have.
  void take_as_build_does(Document& document) {
    if (strict_file_ != document.file) {
      strict_file_ = document.file;
      strict_.clear();
      strict_trees_ = read_yaml(session_.sources, document.file, strict_, session_.limits);
    }
    const Span all = document.root()->span;
    for (const Diagnostic& each : strict_.all()) {
      const bool here = all.begin <= each.span.begin && each.span.end <= all.end;
      if (here && each.kind == DiagnosticKind::AmbiguousScalar) session_.sink.report(each);
    }
    for (Tree& tree : strict_trees_) {
      if (tree.size() != 0 && View(tree, tree.root())->span == all) {
        document.tree = std::exchange(tree, {});
        return;
      }
    }
  }

  /// An object, or those of a `List`, as `kubectl get -o yaml` prints them. As check().
  bool object(const Tree& tree, NodeId root, const std::string& path, Sink& sink) {
    const View view(tree, root);
    if (request_.ignore_unknown_kinds && is_of_unknown_kind(view, session_.schema_sources())) {
      ++ignored_;
      return true;
    }
    Sink found;
    bool done = check_manifest(tree, root, session_.sources, session_.schema_sources(),
                               surroundings_, found, replaced_by(view));
    const bool ours = view["apiVersion"].text().starts_with("trainyard/");
    if (!is_list(view) && view->is_map() && !ours) session_.policies.check(view, false, found);
    for (Diagnostic each : found.all()) {
      if (!path.empty()) each.path = each.path.empty() ? path : path + "." + each.path;
      sink.report(std::move(each));
    }
    if (!is_list(view)) return done;
    std::size_t index = 0;
    for (NodeId item : tree.children(view["items"].id())) {
      const std::string place =
          (path.empty() ? "" : path + ".") + "items[" + std::to_string(index++) + "]";
      if (tree[item].is_map()) done = object(tree, item, place, sink) && done;
    }
    return done;
  }

  /// The object that one is to replace; null when it is new.
  const Tree* replaced_by(View object) const {
    for (const Document& each : old_) {
      if (is_same_object(each.root(), object)) return &each.tree;
    }
    return nullptr;
  }

  Session& session_;
  const ValidateRequest& request_;
  std::unique_ptr<ClusterDocument> cluster_;
  Compilation compilation_;
  std::vector<Document> old_;
  Surroundings surroundings_;
  struct Kept {
    Document document;
    bool waits = false;  // to be checked, for others are still to come
  };
  std::deque<Kept> kept_;  // which stay in place, for views lead into them
  std::size_t documents_ = 0;
  std::size_t ignored_ = 0;
  FileId strict_file_ = kNoFile;  // that was read last as build does
  std::vector<Tree> strict_trees_;
  Sink strict_;
};

}  // namespace

ValidateResult validate(Session& session, const ValidateRequest& request) {
  return Validator(session, request).run();
}

}  // namespace trainyard
