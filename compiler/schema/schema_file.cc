#include "schema/schema_file.h"

#include <utility>

#include "schema/import.h"

namespace trainyard {

void add_schema_file(PackBuilder& builder, std::string_view path, Tree file, Sink& sink) {
  const View root(file, file.root());
  if (!root || !root->is_map()) {
    sink.report(DiagnosticKind::BadSchema, root ? root->span : Span{}, "a schema file holds a map");
    return;
  }
  if (root["kind"].text() == "CustomResourceDefinition") {
    for (ImportedSchema& imported : import_crd(file, path, sink)) {
      builder.add_kind(std::move(imported.facts), std::move(imported.schema));
    }
    return;
  }
  SchemaFacts facts = facts_of(file, path);
  if (facts.source.empty()) facts.source = path;
  if (facts.version.empty() || facts.kind.find('/') != std::string::npos) {
    sink.report(DiagnosticKind::BadSchema, root->span,
                "the file does not say which kind it describes; keep it as "
                "`<group>/<version>/<Kind>.json`");
  } else if (facts.kind.empty()) {
    builder.add_definitions(std::move(facts.group), std::move(facts.version),
                            std::move(facts.source), std::move(file));
  } else {
    builder.add_kind(std::move(facts), std::move(file));
  }
}

}  // namespace trainyard
