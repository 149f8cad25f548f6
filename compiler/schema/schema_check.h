#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "schema/field_cache.h"
#include "schema/pack.h"
#include "schema/patterns.h"
#include "schema/violation.h"
#include "source/source_map.h"
#include "tree/tree.h"

namespace trainyard {

class Rules;

/// Checks values as the API server does under `fieldValidation=Strict`, CEL rules among it.
/// All violations, in document order: those of a map before those of its entries, but a rule is
/// asked after the parts of its value, and only when they are sound.
/// Fields that are left out count with their defaults.
///
/// Stricter than the server in one point: the format float is enforced in custom resources as well,
/// where the server lets a larger number through to a controller that cannot decode it. Of a number
/// that is called an int32 it is a warning.
///
/// Keeps compiled patterns and rules and where fields are, so one Checker should serve many values.
/// Not for two threads at once.
class Checker {
 public:
  /// `pack` must outlive the checker.
  explicit Checker(const SchemaPack& pack);
  ~Checker();
  Checker(Checker&&) noexcept;
  Checker& operator=(Checker&&) noexcept;

  /// A value against a schema.
  std::vector<Violation> check(SchemaId schema, const Tree& tree, NodeId root);
  /// The same for one that is written again as it was: rules about changes are asked, too.
  std::vector<Violation> check_again(SchemaId schema, const Tree& tree, NodeId root);
  /// A whole object: its schema, and the rules for apiVersion, kind and metadata. `old` is the
  /// object that it is to replace, for the rules about changes; null for a new one. A server that
  /// `ratchets` accepts an invalid, unchanged value in a custom resource: a warning.
  std::vector<Violation> check_object(const SchemaKind& kind, const Tree& tree, NodeId root,
                                      const Tree* old = nullptr, bool ratchets = true);

  /// Where fields are, for others that go through the same objects with the same pack.
  FieldCache& fields() { return fields_; }

 private:
  const SchemaPack* pack_;
  Patterns patterns_;
  FieldCache fields_;
  std::unique_ptr<Rules> rules_;
};

/// `Checker::check` for a single use.
std::vector<Violation> check_schema(const SchemaPack& pack, SchemaId schema, const Tree& tree,
                                    NodeId root);

/// Violations as diagnostics on the source text. `source` says which schema asked for it
/// ("kubernetes-sigs/jobset v0.12.0 config/..."); may be empty. With `sources`, what is to be put
/// in quotes is the text that stands there: `y`, which was read as `true`.
void report(const std::vector<Violation>& violations, const Tree& tree, std::string_view source,
            Sink& sink, const SourceMap* sources = nullptr);

}  // namespace trainyard
