#include "driver/validate/kustomized_object.h"

#include <algorithm>
#include <utility>

#include "diag/sink.h"
#include "driver/validate/json_patch.h"
#include "schema/merge.h"
#include "tree/typed_fields.h"

namespace trainyard {

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.find_first_of("${}<>()*[]|^\\+? ") == name.npos;
}

PatchTarget::PatchTarget(View target)
    : kind(string_at(target, "kind")),
      name(string_at(target, "name")),
      group(string_at(target, "group")),
      version(string_at(target, "version")),
      is_simple(!get(target, "labelSelector") && !get(target, "annotationSelector") &&
                (name.empty() || is_plain_name(name)) && (kind.empty() || is_plain_name(kind))),
      has_namespace(static_cast<bool>(get(target, "namespace"))) {}

bool PatchTarget::may_select(const KustomizedObject& object) const {
  if (!is_simple) return true;
  return (kind.empty() || kind == object.kind) &&
         (name.empty() || std::ranges::find(object.names, name) != object.names.end());
}

bool PatchTarget::is_exact(const KustomizedObject& object) const {
  const std::string_view all = object.api_version;
  const std::size_t slash = all.find('/');
  const std::string_view of_group = slash == all.npos ? "" : all.substr(0, slash);
  const std::string_view of_version = slash == all.npos ? all : all.substr(slash + 1);
  return is_simple && !has_namespace && (group.empty() || group == of_group) &&
         (version.empty() || version == of_version);
}

/// kubernetes-sigs/kustomize kyaml/openapi/openapi.go: it knows the schemas of Kubernetes alone.
bool PatchLayer::is_core(const KustomizedObject& object) const {
  const SchemaKind* kind = schemas_.find(object.api_version, object.kind);
  return kind != nullptr && schemas_.text(kind->source).starts_with("kubernetes ");
}

bool PatchLayer::may_go_through(std::size_t values) {
  left_ -= std::min(left_, values);
  return left_ > 0;
}

View PatchLayer::copy(View object) {
  Tree& tree = trees.emplace_back();
  tree.set_root(tree.copy(object.tree(), object.id()));
  may_go_through(tree.size());
  return View(tree, tree.root());
}

void PatchLayer::lose(KustomizedObject& object) {
  follows = follows && !object.as_written;
  object.now = View();
}

Tree* PatchLayer::change(KustomizedObject& object) {
  if (!object.now) return nullptr;
  object.now = copy(object.now);
  object.is_patched = true;
  if (!is_used_up()) return &trees.back();
  lose(object);
  return nullptr;
}

/// Name and namespace stay, which may be others by now than the patch has, and the kind, which a
/// patch with a target need not have.
void PatchLayer::merge(KustomizedObject& object, View patch) {
  const View kind = get(object.now, "kind");
  const View before = get(object.now, "metadata");
  Tree* const tree = change(object);
  if (tree == nullptr) return;
  object.replaces_lists = object.replaces_lists || !is_core(object);
  const SchemaId schema =
      is_core(object) ? schemas_.find(object.api_version, object.kind)->schema : kNoLimit;
  Sink faults;
  const bool remains = strategic_merge(schemas_, schema, *tree, tree->root(), patch.tree(),
                                       patch.id(), faults, MergeOrder::AsServer);
  if (faults.has_errors()) return lose(object);
  if (!remains) {
    object.now = View();
    return;
  }
  const NodeId merged_kind = tree->find(tree->root(), "kind");
  if (kind && merged_kind != kNoNode) {
    tree->replace(tree->root(), merged_kind, tree->copy(kind.tree(), kind.id()));
  }
  const NodeId metadata = tree->find(tree->root(), "metadata");
  for (std::string_view key : {"name", "namespace"}) {
    const NodeId merged = tree->find(metadata, key);
    const View kept = get(before, key);
    if (merged == kNoNode) continue;
    kept ? tree->replace(metadata, merged, tree->copy(kept.tree(), kept.id()))
         : tree->remove(metadata, merged);
  }
}

std::string PatchLayer::operate(KustomizedObject& object, View operations) {
  Tree* const tree = change(object);
  if (tree == nullptr) return {};
  JsonPatchResult result = apply_json_patch(operations, *tree, tree->root(), left_);
  if (result.state != JsonPatchResult::State::Done) lose(object);
  return object.is_exact ? std::move(result.fault) : std::string();
}

void PatchLayer::set_replicas(KustomizedObject& object, View count) {
  Tree* const tree = change(object);
  if (tree == nullptr) return;
  const NodeId spec = tree->find(tree->root(), "spec");
  if (!count || spec == kNoNode || !(*tree)[spec].is_map()) return lose(object);
  const NodeId value = tree->copy(count.tree(), count.id());
  const NodeId old = tree->find(spec, "replicas");
  old == kNoNode ? tree->append(spec, "replicas", value) : tree->replace(spec, old, value);
}

}  // namespace trainyard
