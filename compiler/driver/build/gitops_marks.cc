#include "driver/build/gitops_marks.h"

#include <algorithm>
#include <string>

#include "diag/words.h"
#include "driver/plan/sync_marks.h"
#include "kind/job_kind.h"

namespace trainyard {
namespace {

/// fluxcd/kustomize-controller docs/spec/v1/kustomizations.md "Post build variable substitution"
bool has_variable_in_braces(const Tree& tree, NodeId id) {
  if (tree[id].text.find("${") != std::string_view::npos) return true;
  return std::ranges::any_of(tree.children(id),
                             [&tree](NodeId each) { return has_variable_in_braces(tree, each); });
}

class Marker {
 public:
  Marker(Session& session, const Located<GitOpsTool>& tool, Compilation& job)
      : kinds_(session.job_kinds()),
        tool_(tool),
        rerun_(job.job.spec->rerun),
        origins_(job.origins),
        objects_(job.objects),
        sink_(session.sink) {}

  void mark_all() {
    for (const Object& object : objects_.objects) {
      const auto by_cluster = [&] { return origins_.add(OriginKind::Cluster, tool_.span); };
      if (is_argocd() && object.kind == "TrainingRuntime") {
        add(object, "argocd.argoproj.io/sync-wave", "-1", by_cluster());
      }
      if (!is_argocd() && has_variable_in_braces(objects_.tree, object.root)) {
        add(object, "kustomize.toolkit.fluxcd.io/substitute", "disabled", by_cluster());
      }
      if (rerun_ && *rerun_ == Rerun::InPlace) force(object);
    }
  }

 private:
  bool is_argocd() const { return *tool_ == GitOpsTool::ArgoCd; }

  /// A kind whose pods start again by themselves needs no force.
  void force(const Object& object) {
    const View view(objects_.tree, object.root);
    const JobKind* kind = kinds_.find(view);
    if (kind == nullptr || !kind->changes.restarts.empty()) return;
    const bool is_taken = !kind->changes.ignored.empty();
    if (kind->changes.refused.empty() && !is_taken) return;
    const OriginId origin = origins_.add(OriginKind::Spec, rerun_.span, "spec.rerun");
    if (is_argocd()) {
      add(object, "argocd.argoproj.io/sync-options", "Force=true,Replace=true", origin);
      tell("Argo CD deletes a running job at every change of it, also of a label alone");
    } else if (const std::string_view why = unforceable(SyncTool::Flux, view); !why.empty()) {
      refuse(std::string(why));
    } else if (is_taken) {
      refuse("Flux forces only what the API server refuses, and that takes the change of a " +
             std::string(object.kind) + ", whose pods stay as they are");
    } else {
      add(object, "kustomize.toolkit.fluxcd.io/force", "Enabled", origin);
      tell(
          "Flux deletes a running job before it knows that it can create the new one: a change "
          "that is invalid ends the job, and nothing runs in its place");
    }
  }

  void tell(std::string message) {
    sink_.report(DiagnosticKind::ForcedRerun, rerun_.span, std::move(message))
        .note("`rerun: new-name` creates the new run first, and leaves labels to be patched");
  }

  void refuse(std::string message) {
    sink_
        .report(DiagnosticKind::ConflictingValues, rerun_.span,
                "`rerun: in-place` has no effect here: " + message)
        .also(tool_.span, "the Cluster")
        .note("`rerun: new-name` runs the job again under a new name");
  }

  /// An annotation of the job's own counts; options of Argo CD are a list.
  void add(const Object& object, std::string_view key, std::string_view value, OriginId origin) {
    Tree& tree = objects_.tree;
    const NodeId metadata = tree.find(object.root, "metadata");
    NodeId annotations = tree.find(metadata, "annotations");
    if (annotations == kNoNode) {
      annotations = tree.add_map(origin);
      tree.append(metadata, "annotations", annotations);
    }
    const NodeId own = tree.find(annotations, key);
    if (own == kNoNode) {
      tree.append(annotations, key, tree.add_string(value, origin));
    } else if (key.ends_with("sync-options")) {
      tree[own].text = tree.intern(std::string(tree[own].text) + "," + std::string(value));
    }
  }

  const JobKinds& kinds_;
  const Located<GitOpsTool>& tool_;
  const Located<Rerun>& rerun_;
  Origins& origins_;
  ObjectSet& objects_;
  Sink& sink_;
};

}  // namespace

void mark_for_gitops(Session& session, const ClusterDocument* cluster, Compilation& job) {
  if (cluster == nullptr || !cluster->cluster.spec->gitops->tool) return;
  Marker(session, cluster->cluster.spec->gitops->tool, job).mark_all();
}

}  // namespace trainyard
