#pragma once

#include <string>
#include <string_view>

#include "driver/session/session.h"
#include "schema/describe.h"

namespace trainyard {

/// A group of fields of our own documents as people write it, from `templates/examples.yaml`; ""
/// for a field without an example.
std::string example_of(Session& session, std::string_view kind, std::string_view path);

/// As docs/explain.md describes it: the field, those below it, and what reads or refuses it.
NodeId add_field(Tree& tree, Session& session, const SchemaPack& pack, const SchemaKind& kind,
                 const FieldHelp& help);

}  // namespace trainyard
