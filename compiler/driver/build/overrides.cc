#include "driver/build/overrides.h"

#include <algorithm>
#include <string>
#include <vector>

#include "driver/build/unknown_target.h"
#include "schema/merge.h"

namespace trainyard {
namespace {

/// A copy of a part of the spec whose nodes know their lines as origins.
NodeId with_origins(const Tree& from, NodeId id, const SpecPlaces* places, Tree& to,
                    Origins& origins) {
  const Node& source = from[id];
  const OriginId origin = places == nullptr ? origins.add(OriginKind::Spec, source.span, "spec")
                                            : places->origin(origins, source.span);
  const NodeId copy = to.add(source.kind, source.text, origin);
  to[copy].span = source.span;
  for (NodeId child : from.children(id)) {
    const NodeId value = with_origins(from, child, places, to, origins);
    to[value].key_span = from[child].key_span;
    to.append(copy, from[child].key, value);
  }
  return copy;
}

using FieldPath = std::vector<std::string_view>;

/// What makes an object the one it is: other objects refer to it by these.
const FieldPath kIdentity[] = {
    {"apiVersion"}, {"kind"}, {"metadata", "name"}, {"metadata", "namespace"}};

std::string name_of(const FieldPath& path) {
  std::string text;
  for (std::string_view key : path) text += (text.empty() ? "" : ".") + std::string(key);
  return text;
}

View at(View root, const FieldPath& path) {
  for (std::string_view key : path) root = root[key];
  return root;
}

/// The part of a patch that is closest to a field: where the field is set or taken away.
View closest(View patch, const FieldPath& path) {
  for (std::string_view key : path) {
    const View next = patch[key];
    if (!next) break;
    patch = next;
  }
  return patch;
}

class Hatches {
 public:
  Hatches(Session& session, const Document& document, Compilation& compilation)
      : session_(session), document_(document), out_(compilation) {}

  void open() {
    const JobSpec& spec = *out_.job.spec;
    for (const FilledPod& pod : out_.objects.pods) {
      // `pod` is about the pods that the spec names, in which the program runs.
      if (std::ranges::count(out_.plan.before, pod.role, &Role::name) != 0) continue;
      if (std::ranges::count(out_.plan.after, pod.role, &Role::name) != 0) continue;
      merge_pod(pod, spec.pod);
      for (const auto& role : *spec.roles) {
        if (role.key == pod.role) merge_pod(pod, role.value->pod);
      }
    }
    for (const auto& patch : *spec.patches) apply(*patch);
  }

 private:
  void merge_pod(const FilledPod& pod, const Shape& part) {
    if (!part) return;
    const SchemaKind* kind = session_.schemas.find_definition("", "v1", "PodTemplateSpec");
    const auto role = std::ranges::find(out_.plan.roles, pod.role, &Role::name);
    const bool known = role != out_.plan.roles.end() && role->container_name;
    merge(kind == nullptr ? kAnySchema : kind->schema, pod.root, part,
          known ? *role->container_name : kMainContainer);
  }

  /// The training container under the name that the target gives it.
  static void rename_main(Tree& patch, NodeId pod, std::string_view name) {
    const NodeId containers = patch.find(patch.find(pod, "spec"), "containers");
    for (NodeId container : patch.children(containers)) {
      const NodeId own = patch.find(container, "name");
      if (own != kNoNode && patch[own].text == kMainContainer) patch[own].text = name;
    }
  }

  /// Merges, and makes sure that the values before are unchanged.
  void merge(SchemaId schema, NodeId object, const Shape& part,
             std::string_view main = kMainContainer) {
    const View before(out_.objects.tree, object);
    std::vector<std::string> identity;
    for (const FieldPath& path : kIdentity) identity.emplace_back(at(before, path).text());
    const bool has_spec = static_cast<bool>(before["spec"]);

    Tree patch;
    const NodeId root =
        with_origins(document_.tree, part.node, document_.places.get(), patch, out_.origins);
    if (main != kMainContainer) rename_main(patch, root, main);
    const bool remains = strategic_merge(session_.schemas, schema, out_.objects.tree, object, patch,
                                         root, session_.sink);
    const View after(out_.objects.tree, object);
    if (!remains || (has_spec && !after["spec"])) {
      refuse(part, {"spec"},
             remains ? "a patch must not take `spec` away" : "a patch must not delete an object");
      return;
    }
    for (std::size_t i = 0; i < identity.size(); ++i) {
      if (at(after, kIdentity[i]).text() == identity[i]) continue;
      Diagnostic& report =
          refuse(part, kIdentity[i], "a patch must not change `" + name_of(kIdentity[i]) + "`");
      if (kIdentity[i].size() > 1) report.note("what is made has those of the job's `metadata`");
    }
  }

  Diagnostic& refuse(const Shape& part, const FieldPath& field, std::string message) {
    const View place = closest(View(document_.tree, part.node), field);
    return session_.sink.report(DiagnosticKind::BadPatch, place->span, std::move(message));
  }

  void apply(const Patch& patch) {
    if (patch.target && *patch.target != *out_.plan.target) {
      const std::vector<std::string> known = session_.targets.names();
      if (std::find(known.begin(), known.end(), *patch.target) == known.end()) {
        report_unknown_target(session_, *patch.target, patch.target.span);
      }
      return;
    }
    bool found = false;
    for (const Object& object : out_.objects.objects) {
      if (object.kind != *patch.kind) continue;
      if (patch.name && known_name(object) != *patch.name) continue;
      found = true;
      const SchemaKind* kind = session_.schemas.find(object.api_version, object.kind);
      merge(kind == nullptr ? kAnySchema : kind->schema, object.root, patch.patch);
    }
    if (!found) no_object(patch);
  }

  /// The name without the digits of a run, which follow from the patch.
  static std::string known_name(const Object& object) {
    std::string name(object.name);
    const std::size_t at = name.find(kUnnamedRun);
    if (at != std::string::npos) name.erase(at - 1, kUnnamedRun.size() + 1);
    return name;
  }

  void no_object(const Patch& patch) {
    std::string made;
    for (const Object& object : out_.objects.objects) {
      made +=
          (made.empty() ? "`" : ", `") + std::string(object.kind) + "/" + known_name(object) + "`";
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
