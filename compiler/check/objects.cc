#include "check/objects.h"

#include <string>

#include "check/check.h"
#include "check/place.h"
#include "diag/suggest.h"

namespace trainyard {
namespace {

void report_on_output(const Violation& violation, const Object& object, const ObjectSet& objects,
                      const SchemaPack& pack, const SchemaKind& kind, const Origins& origins,
                      Documents documents, Sink& sink) {
  const Node& node = objects.tree[violation.node];
  const Span value = text_place(origins, node.origin);
  const Span place = violation.at_key ? key_place(documents, value, node.key) : value;
  Diagnostic diagnostic(violation.kind, place, violation.message);
  diagnostic.severity = violation.severity;
  diagnostic.at(std::string(object.kind) + "/" + std::string(object.name) + ":" + violation.path);
  if (!violation.note.empty()) diagnostic.note(violation.note);
  diagnostic.note("found in the object that is made from this, against " +
                  std::string(pack.text(kind.source)));
  sink.report(std::move(diagnostic));
}

/// A kind, and the schemas that have it.
struct FoundKind {
  const SchemaKind* kind = nullptr;
  const SchemaSource* source = nullptr;
};

FoundKind find(SchemaSources schemas, std::string_view api_version, std::string_view name) {
  for (const SchemaSource& source : schemas) {
    if (const SchemaKind* kind = source.pack.find(api_version, name)) return {kind, &source};
  }
  return {};
}

void versions_with(const SchemaPack& pack, std::string_view kind, std::string& known) {
  for (const SchemaKind& row : pack.kinds()) {
    if (pack.text(row.kind) != kind) continue;
    const std::string_view group = pack.text(row.group);
    known += (known.empty() ? "`" : ", `") + std::string(group) + (group.empty() ? "" : "/") +
             std::string(pack.text(row.version)) + "`";
  }
}

void unknown_kind(Span where, std::string_view api_version, std::string_view kind,
                  SchemaSources schemas, Sink& sink) {
  Diagnostic& report = sink.report(
      DiagnosticKind::UnknownKind, where,
      "no schema describes `" + std::string(kind) + "` of `" + std::string(api_version) + "`");
  std::string known;
  for (const SchemaSource& source : schemas) versions_with(source.pack, kind, known);
  if (!known.empty()) report.note("this kind is known in " + known);
}

std::vector<NodeId> places(const std::vector<Violation>& violations) {
  std::vector<NodeId> nodes;
  for (const Violation& violation : violations) nodes.push_back(violation.node);
  return nodes;
}

}  // namespace

void check_objects(const ObjectSet& objects, SchemaSources schemas,
                   const Surroundings& surroundings, const Origins& origins, Documents documents,
                   Sink& sink) {
  CheckContext context(surroundings, origins, documents, sink);
  for (const Object& object : objects.objects) {
    const FoundKind found = find(schemas, object.api_version, object.kind);
    if (found.kind == nullptr) {
      unknown_kind(text_place(origins, objects.tree[object.root].origin), object.api_version,
                   object.kind, schemas, sink);
      continue;
    }
    const std::vector<Violation> violations =
        found.source->checker.check_object(*found.kind, objects.tree, object.root);
    for (const Violation& violation : violations) {
      report_on_output(violation, object, objects, found.source->pack, *found.kind, origins,
                       documents, sink);
      context.spoken_of(text_place(origins, objects.tree[violation.node].origin));
    }
    run_checks(View(objects.tree, object.root),
               std::string(object.kind) + "/" + std::string(object.name), places(violations),
               context);
  }
}

bool check_manifest(const Tree& tree, NodeId object, const SourceMap& sources,
                    SchemaSources schemas, const Surroundings& surroundings, Sink& sink,
                    const Tree* old) {
  const View root(tree, object);
  const std::string_view api_version = root["apiVersion"].text();
  const std::string_view kind_name = root["kind"].text();
  if (!root->is_map() || api_version.empty() || kind_name.empty()) {
    sink.report(
        DiagnosticKind::UnknownKind, root->span,
        "this is no Kubernetes object: " +
            std::string(root->is_map() ? "`apiVersion` or `kind` is missing" : "a map is wanted"));
    return true;
  }
  const FoundKind found = find(schemas, api_version, kind_name);
  if (found.kind == nullptr) {
    unknown_kind(root["kind"]->span, api_version, kind_name, schemas, sink);
    return true;
  }
  // A List has no name, and each of its items is an object of its own.
  Checker& checker = found.source->checker;
  const bool is_list = api_version == "v1" && kind_name == "List";
  const std::vector<Violation> violations =
      is_list ? checker.check(found.kind->schema, tree, object)
              : checker.check_object(*found.kind, tree, object, old);
  report(violations, tree, found.source->pack.text(found.kind->source), sink, &sources);
  CheckContext context(surroundings, sink);
  run_checks(root, {}, places(violations), context);
  return !context.wants_inventory();
}

}  // namespace trainyard
