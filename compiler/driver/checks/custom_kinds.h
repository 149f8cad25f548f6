#pragma once

#include <string_view>
#include <vector>

#include "check/objects.h"
#include "schema/pack.h"
#include "tree/tree.h"

namespace trainyard {

/// Whether objects of a known kind hold whole objects, which their controllers make: AppWrapper of
/// CodeFlare, and Experiment of Katib.
bool holds_objects(std::string_view group, std::string_view kind);

/// The schemas that have a kind whose parts have to be looked for: one that the program does not
/// know, only a CustomResourceDefinition of the user, or one that holds objects; null for other
/// kinds.
const SchemaPack* own_kind(View object, SchemaSources schemas, SchemaId& schema);

/// What of an object of such a kind surely is a part of its pods, by the schema and by what is
/// written.
struct OwnParts {
  std::vector<View> templates;  // maps with `spec` and perhaps `metadata`
  std::vector<View> objects;    // whole ones
};
OwnParts own_parts(View object, const SchemaPack& pack, SchemaId schema);

}  // namespace trainyard
