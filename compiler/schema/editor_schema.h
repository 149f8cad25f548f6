#pragma once

#include <string>

#include "schema/pack.h"

namespace trainyard {

/// The schema of a kind as JSON Schema draft-07, for editors (yaml-language-server) and for general
/// JSON Schema libraries. Ends with a line break; the same pack gives the same bytes.
///
/// An int-or-string becomes a choice of two types and a quantity one of three. List keys have no
/// counterpart in JSON Schema and are left out, as are formats of Kubernetes' own and CEL rules.
std::string editor_schema(const SchemaPack& pack, const SchemaKind& kind);

}  // namespace trainyard
