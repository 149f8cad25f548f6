#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "schema/facts.h"
#include "tree/tree.h"

namespace trainyard {

/// A compact schema: the structure of a kind without description texts. See schemas/README.md.
struct ImportedSchema {
  SchemaFacts facts;  // `kind` is empty for the definitions that a group and version shares
  Tree schema;

  /// Where it is kept: `batch/v1/Job.json`, `core/v1/definitions.json`; with what it is before, if
  /// it is not the newest: `TrainJob.before-trainer-2.2.json`.
  std::string path() const;
  /// The file: the same schema gives the same bytes.
  std::string text() const;
};

/// The schemas of a CustomResourceDefinition, one for each version that is served. `source` says
/// where it is from: project, version, path. `bad-schema` when it is none.
std::vector<ImportedSchema> import_crd(const Tree& crd, std::string_view source, Sink& sink);

/// A schema of a kind that takes any fields.
Tree open_schema(const SchemaFacts& facts);

/// A kind to take from an OpenAPI document; `group` is "" for the core group.
struct WantedKind {
  std::string group;
  std::string version;
  std::string kind;
};

/// Kinds of an OpenAPI document of Kubernetes (v2 `definitions` or v3 `components.schemas`), and
/// the definitions that they use, one file for each group and version. Defaults that say something
/// are added from `defaults`, the v3 documents, because v2 has none. `bad-schema` for a kind that
/// the document does not have.
std::vector<ImportedSchema> import_openapi(const Tree& document, std::span<const WantedKind> wanted,
                                           std::span<const Tree* const> defaults,
                                           std::string_view source, Sink& sink);

/// Whether a text is a file that `ImportedSchema::text` made, by how it begins.
bool is_schema_file(std::string_view text);

/// What a compact schema file says about itself; `path` (below the folder of schemas) says it where
/// the file does not.
SchemaFacts facts_of(const Tree& schema, std::string_view path);

}  // namespace trainyard
