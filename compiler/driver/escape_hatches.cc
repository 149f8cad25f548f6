#include "driver/escape_hatches.h"

#include <string>

#include "schema/merge.h"

namespace trainyard {
namespace {

/// A copy of a part of the spec whose nodes know their lines as origins.
NodeId with_origins(const Tree& from, NodeId id, Tree& to, Origins& origins) {
  const Node& source = from[id];
  const NodeId copy =
      to.add(source.kind, source.text, origins.add(OriginKind::Spec, source.span, "spec"));
  to[copy].span = source.span;
  for (NodeId child : from.children(id)) {
    const NodeId value = with_origins(from, child, to, origins);
    to[value].key_span = from[child].key_span;
    to.append(copy, from[child].key, value);
  }
  return copy;
}

class Hatches {
 public:
  Hatches(Session& session, const Document& document, Compilation& compilation)
      : session_(session), document_(document), out_(compilation) {}

  void open() {
    const JobSpec& spec = *out_.job.spec;
    for (const FilledPod& pod : out_.objects.pods) {
      merge_pod(pod.root, spec.pod);
      for (const auto& role : *spec.roles) {
        if (role.key == pod.role) merge_pod(pod.root, role.value->pod);
      }
    }
    for (const auto& patch : *spec.patches) apply(*patch);
  }

 private:
  void merge_pod(NodeId pod, const Shape& part) {
    if (!part) return;
    const SchemaKind* kind = session_.schemas.find_definition("", "v1", "PodTemplateSpec");
    merge(kind == nullptr ? kAnySchema : kind->schema, pod, part);
  }

  void merge(SchemaId schema, NodeId object, const Shape& part) {
    Tree patch;
    const NodeId root = with_origins(document_.tree, part.node, patch, out_.origins);
    strategic_merge(session_.schemas, schema, out_.objects.tree, object, patch, root,
                    session_.sink);
  }

  void apply(const Patch& patch) {
    if (patch.target && *patch.target != *out_.plan.target) return;
    bool found = false;
    for (const Object& object : out_.objects.objects) {
      if (object.kind != *patch.kind) continue;
      if (patch.name && object.name != *patch.name) continue;
      found = true;
      const SchemaKind* kind = session_.schemas.find(object.api_version, object.kind);
      merge(kind == nullptr ? kAnySchema : kind->schema, object.root, patch.patch);
    }
    if (!found) no_object(patch);
  }

  void no_object(const Patch& patch) {
    std::string made;
    for (const Object& object : out_.objects.objects) {
      made += (made.empty() ? "`" : ", `") + std::string(object.kind) + "/" +
              std::string(object.name) + "`";
    }
    const Text& where = patch.name ? patch.name : patch.kind;
    session_.sink
        .report(DiagnosticKind::PatchWithoutObject, where.span,
                "no object that is made is a `" + std::string(*patch.kind) +
                    (patch.name ? "/" + std::string(*patch.name) : "") + "`")
        .note("made are: " + made);
  }

  Session& session_;
  const Document& document_;
  Compilation& out_;
};

}  // namespace

void open_escape_hatches(Session& session, const Document& document, Compilation& compilation) {
  Hatches(session, document, compilation).open();
}

}  // namespace trainyard
