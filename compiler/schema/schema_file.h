#pragma once

#include <string>
#include <string_view>

#include "diag/sink.h"
#include "schema/pack_builder.h"
#include "tree/tree.h"

namespace trainyard {

/// Adds what one file of a folder of schemas describes: a compact schema, a file of definitions, or
/// a CustomResourceDefinition as its project publishes it. `path` is the path below the folder,
/// with `/` between its parts.
void add_schema_file(PackBuilder& builder, std::string_view path, Tree file, Sink& sink);

}  // namespace trainyard
