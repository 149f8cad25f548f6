#pragma once

#include <string>
#include <string_view>

#include "diag/kind.h"
#include "tree/tree.h"

namespace trainyard {

/// One place where a value breaks its schema.
struct Violation {
  DiagnosticKind kind = DiagnosticKind::WrongType;
  Severity severity = Severity::Error;  // Warning: the API server takes it, but not as written
  NodeId node = kNoNode;                // the value that is wrong; the map for a missing field
  bool at_key = false;                  // the key is what is wrong, not the value
  bool firm = false;                    // wrong even if the value is unchanged
  NodeId other = kNoNode;               // the first of two equal items
  std::string path;                     // `spec.template.spec.containers[0].image`
  std::string message;                  // what was found and what would be right
  std::string_view suggestion;  // the likely meaning of a misspelt key or enum value; may be empty
  std::string replacement;      // YAML text that very likely is right there; may be empty
  std::string note;             // what else explains it; may be empty
};

}  // namespace trainyard
