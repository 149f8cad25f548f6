#include "schema/pack_builder.h"

#include <utility>

#include "schema/pack_graph.h"

namespace trainyard {

void PackBuilder::add_kind(SchemaFacts facts, Tree schema) {
  documents_.push_back({std::move(facts), std::move(schema)});
}

void PackBuilder::add_definitions(std::string group, std::string version, std::string source,
                                  Tree file) {
  SchemaFacts facts;
  facts.group = std::move(group);
  facts.version = std::move(version);
  facts.source = std::move(source);
  documents_.push_back({std::move(facts), std::move(file)});
}

std::string PackBuilder::build(Sink& sink) const {
  const std::size_t errors_before = sink.error_count();
  std::string image = PackGraph(*this, sink).build();
  if (sink.error_count() == errors_before && !SchemaPack::open(image)) {
    // Every index is ours and in bounds, so only one thing can be wrong.
    sink.report(DiagnosticKind::BadSchema, {},
                "a schema contains itself through `allOf`, `anyOf`, `oneOf` or `not`");
  }
  if (sink.error_count() != errors_before) image.clear();
  return image;
}

}  // namespace trainyard
