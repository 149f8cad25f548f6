#include "check/objects.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "check/check.h"
#include "check/object_checks.h"
#include "manifest/kinds.h"
#include "manifest/secret_sources.h"
#include "tree/origin_span.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

void report_on_output(const Violation& violation, const Object& object, const ObjectSet& objects,
                      const SchemaPack& pack, const SchemaKind& kind, const Origins& origins,
                      Documents documents, Sink& sink) {
  const Node& node = objects.tree[violation.node];
  const Span value = span_of_origin(origins, node.origin);
  const Span place = violation.at_key ? key_span_of_origin(documents, value, node.key) : value;
  Diagnostic diagnostic(violation.kind, place, violation.message);
  diagnostic.severity = violation.severity;
  diagnostic.at(std::string(object.kind) + "/" + std::string(object.name) + ":" + violation.path);
  if (!violation.note.empty()) diagnostic.note(violation.note);
  diagnostic.note("found in the object that is made from this, against " +
                  std::string(pack.text(kind.source)));
  sink.report(std::move(diagnostic));
}

std::vector<NodeId> places(const std::vector<Violation>& violations) {
  std::vector<NodeId> nodes;
  for (const Violation& violation : violations) {
    if (violation.severity == Severity::Error) nodes.push_back(violation.node);
  }
  return nodes;
}

/// What SOPS has put there is gone before the API server sees the object.
void forget_encrypted(const Tree& tree, NodeId object, std::vector<Violation>& violations) {
  const View sops = get(View(tree, object), "sops");
  std::erase_if(violations, [&](const Violation& each) {
    const View at(tree, each.node);
    return at.id() == sops.id() || is_encrypted_value(at);
  });
}

}  // namespace

void check_objects(const ObjectSet& objects, SchemaSources schemas, const CheckInputs& surroundings,
                   const Origins& origins, Documents documents, Sink& sink) {
  CheckContext context(surroundings, origins, documents, sink);
  for (const Object& object : objects.objects) {
    const FoundKind found =
        find_kind(schemas, object.api_version, object.kind, surroundings.versions);
    if (found.kind == nullptr) {
      report_unknown_kind({}, span_of_origin(origins, objects.tree[object.root].origin),
                          object.api_version, object.kind, schemas, sink);
      continue;
    }
    const SchemaPack& pack = found.source->pack;
    const std::vector<Violation> violations =
        found.source->checker.check_object(*found.kind, objects.tree, object.root);
    for (const Violation& violation : violations) {
      report_on_output(violation, object, objects, pack, *found.kind, origins, documents, sink);
      context.mark_reported(span_of_origin(origins, objects.tree[violation.node].origin));
    }
    run_checks(View(objects.tree, object.root),
               std::string(object.kind) + "/" + std::string(object.name), places(violations),
               context);
  }
}

namespace {

View root_of(const Tree* tree) {
  return tree == nullptr ? View() : View(*tree, tree->root());
}

}  // namespace

std::optional<std::vector<NodeId>> check_shape(const Tree& tree, NodeId object,
                                               const SourceMap& sources, SchemaSources schemas,
                                               const CheckInputs& surroundings, Sink& sink,
                                               const Tree* old) {
  const View root(tree, object);
  const std::string_view api_version = root["apiVersion"].text();
  const std::string_view kind_name = root["kind"].text();
  if (!root->is_map() || api_version.empty() || kind_name.empty()) {
    sink.report(
        DiagnosticKind::UnknownKind, root->span,
        "this is no Kubernetes object: " +
            std::string(root->is_map() ? "`apiVersion` or `kind` is missing" : "a map is wanted"));
    return std::nullopt;
  }
  const bool list = is_list(root);
  FoundKind found = find_kind(schemas, api_version, kind_name, surroundings.versions);
  if (found.kind == nullptr && list) found = find_kind(schemas, "v1", "List");
  if (found.kind == nullptr) {
    if (keeps_secrets_safe(api_version, kind_name)) return std::nullopt;
    Diagnostic& report = report_unknown_kind(root["apiVersion"]->span, root["kind"]->span,
                                             api_version, kind_name, schemas, sink);
    if (report.fixes.empty()) {
      report.note(
          "`--ignore-unknown-kinds`, and `ignoreUnknownKinds` in `.trainyard.yaml`, let kinds "
          "without a schema pass");
    }
    return std::nullopt;
  }
  // A list has no name, and each of its items is an object of its own.
  Checker& checker = found.source->checker;
  // CRDValidationRatcheting: beta, and on, since 1.30.
  const bool ratchets = surroundings.versions.kubernetes >= KubernetesVersion{1, 30};
  std::vector<Violation> violations =
      list ? checker.check(found.kind->schema, tree, object)
           : checker.check_object(*found.kind, tree, object, old, ratchets);
  if (!list && is_encrypted_by_sops(root)) forget_encrypted(tree, object, violations);
  report(violations, tree, found.source->pack.text(found.kind->source), sink, &sources);
  return places(violations);
}

void run_checks_of(const Tree& tree, NodeId object, std::vector<NodeId> flagged,
                   const CheckInputs& surroundings, Sink& sink, const Tree* old) {
  CheckContext context(surroundings, sink);
  if (old != nullptr) context.replaces(root_of(old));
  run_checks(View(tree, object), {}, std::move(flagged), context);
}

void check_manifest(const Tree& tree, NodeId object, const SourceMap& sources,
                    SchemaSources schemas, const CheckInputs& surroundings, Sink& sink,
                    const Tree* old) {
  auto flagged = check_shape(tree, object, sources, schemas, surroundings, sink, old);
  if (flagged) run_checks_of(tree, object, std::move(*flagged), surroundings, sink, old);
}

void check_manifest_alone(const Tree& tree, NodeId object, const SourceMap& sources,
                          SchemaSources schemas, const CheckInputs& surroundings, Sink& sink,
                          const Tree* old) {
  const auto flagged = check_shape(tree, object, sources, schemas, surroundings, sink, old);
  if (flagged) run_checks_alone(View(tree, object), *flagged, root_of(old), surroundings, sink);
}

}  // namespace trainyard
