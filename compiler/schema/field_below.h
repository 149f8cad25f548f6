#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "schema/pack.h"
#include "tree/tree.h"

namespace trainyard {

/// Where below a map a key that it does not know is a field: of what the document has there, or,
/// where that has nothing, of what it could have. "" when there is no such place, when several are
/// as near, and for words that stand everywhere. `path` is that of the map. `fits` says whether the
/// value could be that of a schema.
std::string field_below(const SchemaPack& pack, const Tree& tree, NodeId map,
                        const SchemaNode& schema, const std::string& path, std::string_view key,
                        const std::function<bool(const SchemaNode&)>& fits);

}  // namespace trainyard
