#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "schema/pack_builder.h"
#include "schema/pack_copy.h"
#include "schema/pack_tables.h"
#include "schema/schema_reader.h"

namespace trainyard {

/// Resolves the references between the documents of a PackBuilder and fills the tables.
///
/// A named schema is read once. One that is reached again while it is being read contains itself:
/// it gets a reserved node, which is set when the reading is done.
class PackGraph final : public SchemaResolver {
 public:
  PackGraph(const PackBuilder& builder, Sink& sink);

  std::string build();
  SchemaId schema(View node, SchemaRole role) override;

 private:
  using Document = PackBuilder::Document;
  struct Named {
    const Document* document;
    NodeId node;
  };
  struct Progress {
    bool entered = false;
    bool done = false;
    SchemaId id = kNoLimit;  // until done: the reserved node, if one was asked for
  };
  /// A copy of a schema that is not complete yet, with additions.
  struct Pending {
    SchemaId copy;
    SchemaId original;
    View additions;
    SchemaRole role;
  };

  void index_documents();
  void index(const Document& document);
  void add_name(const std::string& name, Named named);
  std::vector<SchemaKind> kinds();
  std::vector<SchemaKind> definitions();
  SchemaKind kind(const Document& document, std::string_view name, SchemaId schema);

  SchemaId reference(View node, SchemaRole role);
  SchemaId target(View reference, SchemaRole role);
  SchemaId own_definition(View reference, SchemaRole role);
  SchemaId shared_definition(View reference, SchemaRole role);
  SchemaId from_base(View reference, SchemaRole role);
  SchemaId resolve(Named named, SchemaRole role);
  void finish(Progress& progress, SchemaId id, View node);
  void finish_pending();

  const PackBuilder& builder_;
  PackTables tables_;
  SchemaReader reader_;
  PackCopy copy_;
  std::map<std::string, Named, std::less<>> names_;  // "core/v1/PodSpec"
  std::map<std::tuple<const Tree*, NodeId, SchemaRole>, Progress> progress_;
  std::vector<Pending> pending_;
  std::set<SchemaId> incomplete_;  // reserved or pending
  std::size_t depth_ = 0;
};

}  // namespace trainyard
