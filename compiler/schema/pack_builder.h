#pragma once

#include <string>
#include <vector>

#include "diag/sink.h"
#include "schema/facts.h"
#include "schema/pack.h"
#include "tree/tree.h"

namespace trainyard {

/// Makes pack images from compact schemas (see schemas/README.md for the dialect).
///
/// References are resolved when the image is built, so the order of adding does not matter for
/// them, nor does it for the image: kinds are packed in the order of their names. Equal subtrees
/// are stored once.
class PackBuilder {
 public:
  /// References to names that were not added are looked up in `base`, and what they mean is copied.
  explicit PackBuilder(const SchemaPack* base = nullptr) : base_(base) {}

  /// The schema of a kind. What it has below `$defs` is its own.
  void add_kind(SchemaFacts facts, Tree schema);
  /// A file of definitions (`$defs: {PodSpec: ...}`) that belong to a group and version.
  void add_definitions(std::string group, std::string version, std::string source, Tree file);

  /// The image; empty when `sink` got errors (`bad-schema`, at the place in the schema's source).
  std::string build(Sink& sink) const;

 private:
  friend class PackGraph;
  struct Document {
    SchemaFacts facts;  // `kind` is empty for a file of definitions
    Tree tree;
  };

  std::vector<Document> documents_;
  const SchemaPack* base_;
};

}  // namespace trainyard
