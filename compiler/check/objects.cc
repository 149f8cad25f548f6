#include "check/objects.h"

#include <string>

#include "check/place.h"
#include "check/pod_names.h"
#include "diag/suggest.h"

namespace trainyard {
namespace {

void report_on_output(const Violation& violation, const Object& object, const ObjectSet& objects,
                      const SchemaPack& pack, const SchemaKind& kind, const Origins& origins,
                      Sink& sink) {
  Diagnostic diagnostic(violation.kind, text_place(origins, objects.tree[violation.node].origin),
                        violation.message);
  diagnostic.severity = violation.severity;
  diagnostic.at(std::string(object.kind) + "/" + std::string(object.name) + ":" + violation.path);
  diagnostic.note("found in the object that is made from this, against " +
                  std::string(pack.text(kind.source)));
  sink.report(std::move(diagnostic));
}

void unknown_kind(Span where, std::string_view api_version, std::string_view kind,
                  const SchemaPack& pack, Sink& sink) {
  Diagnostic& report = sink.report(
      DiagnosticKind::UnknownKind, where,
      "no schema describes `" + std::string(kind) + "` of `" + std::string(api_version) + "`");
  std::string known;
  for (const SchemaKind& row : pack.kinds()) {
    if (pack.text(row.kind) != kind) continue;
    const std::string_view group = pack.text(row.group);
    known += (known.empty() ? "`" : ", `") + std::string(group) + (group.empty() ? "" : "/") +
             std::string(pack.text(row.version)) + "`";
  }
  if (!known.empty()) report.note("this kind is known in " + known);
}

}  // namespace

void check_objects(const ObjectSet& objects, const SchemaPack& pack, Checker& checker,
                   const Origins& origins, Sink& sink) {
  for (const Object& object : objects.objects) {
    const SchemaKind* kind = pack.find(object.api_version, object.kind);
    if (kind == nullptr) {
      unknown_kind(text_place(origins, objects.tree[object.root].origin), object.api_version,
                   object.kind, pack, sink);
      continue;
    }
    for (const Violation& violation : checker.check_object(*kind, objects.tree, object.root)) {
      report_on_output(violation, object, objects, pack, *kind, origins, sink);
    }
  }
  check_pod_names(objects, origins, sink);
}

void check_manifest(const Tree& tree, const SchemaPack& pack, Checker& checker, Sink& sink) {
  const View root(tree, tree.root());
  const std::string_view api_version = root["apiVersion"].text();
  const std::string_view kind_name = root["kind"].text();
  if (!root->is_map() || api_version.empty() || kind_name.empty()) {
    sink.report(DiagnosticKind::UnknownKind, root->span,
                "this is no Kubernetes object: `apiVersion` or `kind` is missing");
    return;
  }
  const SchemaKind* kind = pack.find(api_version, kind_name);
  if (kind == nullptr) {
    unknown_kind(root["kind"]->span, api_version, kind_name, pack, sink);
    return;
  }
  report(checker.check_object(*kind, tree, tree.root()), tree, pack.text(kind->source), sink);
}

}  // namespace trainyard
