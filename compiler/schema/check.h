#pragma once

#include <string>
#include <vector>

#include "diag/sink.h"
#include "schema/pack.h"
#include "tree/tree.h"

namespace trainyard {

/// One place where a value breaks its schema.
struct Violation {
  DiagnosticKind kind = DiagnosticKind::WrongType;
  NodeId node = kNoNode;        // the value that is wrong; the map for a missing field
  bool at_key = false;          // the key is what is wrong, not the value
  std::string path;             // `spec.template.spec.containers[0].image`
  std::string message;          // what was found and what would be right
  std::string_view suggestion;  // the likely meaning of a misspelt key or enum value; may be empty
};

/// Checks a value against a schema of the pack, as the API server does under
/// `fieldValidation=Strict`, but for CEL rules. All violations, in document order.
std::vector<Violation> check_schema(const SchemaPack& pack, SchemaId schema, const Tree& tree,
                                    NodeId root);

/// Violations as diagnostics on the source text. `source` says which schema asked for it.
void report(const std::vector<Violation>& violations, const Tree& tree, std::string_view source,
            Sink& sink);

}  // namespace trainyard
