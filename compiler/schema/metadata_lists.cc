#include "schema/metadata_lists.h"

#include <algorithm>
#include <array>

#include "schema/names.h"
#include "schema/type_words.h"

// kubernetes/apimachinery pkg/api/validation/objectmeta.go

namespace trainyard {
namespace {

/// Kubernetes' own, and whatever has a domain. kubernetes/kubernetes
/// pkg/apis/core/validation/validation.go ValidateFinalizerName
bool is_standard_finalizer(std::string_view name) {
  return name == "kubernetes" || name == "orphan" || name == "foregroundDeletion" ||
         name.find('/') != std::string_view::npos;
}

void check_owner(const Subject& subject, const Frame& at) {
  constexpr std::array<std::string_view, 4> kNeeded = {"apiVersion", "kind", "name", "uid"};
  for (std::string_view key : kNeeded) {
    const NodeId child = subject.tree.find(at.node, key);
    if (child == kNoNode) continue;  // the schema of the metadata says so
    const Node& node = subject.tree[child];
    if (node.kind != Kind::String) continue;
    const bool no_version =
        key == "apiVersion" && (node.text.ends_with('/') || std::ranges::count(node.text, '/') > 1);
    if (!node.text.empty() && !no_version) continue;
    if (Violation* found =
            subject.fail(DiagnosticKind::BadMetadata, {&at, child, kNoLimit, nullptr})) {
      found->message =
          "the " + std::string(key) + " of an owner " +
          (no_version ? "is not of the form `group/version` or `version`" : "must not be empty");
    }
  }
  const View reference(subject.tree, at.node);
  if (reference["apiVersion"].text() != "v1" || reference["kind"].text() != "Event") return;
  if (Violation* found = subject.fail(DiagnosticKind::BadMetadata, at)) {
    found->message = "an `Event` can own nothing";
  }
}

}  // namespace

void check_finalizers(const Subject& subject, const Frame& meta) {
  const NodeId list = subject.tree.find(meta.node, "finalizers");
  if (list == kNoNode || !subject.tree[list].is_seq()) return;
  const Frame at{&meta, list, kNoLimit, nullptr};
  std::uint32_t index = 0;
  bool orphans = false;
  bool deletes = false;
  for (NodeId item : subject.tree.children(list)) {
    const Frame below{&at, item, index++, nullptr};
    const Node& node = subject.tree[item];
    if (node.kind != Kind::String) continue;
    orphans = orphans || node.text == "orphan";
    deletes = deletes || node.text == "foregroundDeletion";
    Fault fault = why_not_label_key(node.text);
    if (!fault && subject.is_builtin && !is_standard_finalizer(node.text)) {
      fault = "has no domain in front, as in `example.com/" + std::string(node.text) + "`";
    }
    Violation* found = fault ? subject.fail(DiagnosticKind::BadMetadata, below) : nullptr;
    if (found != nullptr) found->message = "finalizer " + shown(node) + " " + *fault;
  }
  if (!orphans || !deletes) return;
  if (Violation* found = subject.fail(DiagnosticKind::BadMetadata, at)) {
    found->message = "the finalizers `orphan` and `foregroundDeletion` exclude each other";
  }
}

void check_owners(const Subject& subject, const Frame& meta) {
  const NodeId list = subject.tree.find(meta.node, "ownerReferences");
  if (list == kNoNode || !subject.tree[list].is_seq()) return;
  const Frame at{&meta, list, kNoLimit, nullptr};
  std::uint32_t index = 0;
  NodeId controller = kNoNode;
  for (NodeId item : subject.tree.children(list)) {
    const Frame below{&at, item, index++, nullptr};
    if (!subject.tree[item].is_map()) continue;
    check_owner(subject, below);
    const NodeId controls = subject.tree.find(item, "controller");
    if (controls == kNoNode || subject.tree[controls].kind != Kind::Bool) continue;
    if (subject.tree[controls].text != "true") continue;
    if (controller == kNoNode) {
      controller = item;
    } else if (Violation* found = subject.fail(DiagnosticKind::BadMetadata, below)) {
      found->other = controller;
      found->message = "a second owner with `controller: true`, only one can be the controller";
    }
  }
}

}  // namespace trainyard
