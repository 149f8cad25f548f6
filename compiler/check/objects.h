#pragma once

#include "check/check_context.h"
#include "diag/sink.h"
#include "schema/sources.h"
#include "source/source_map.h"
#include "target/object_set.h"

namespace trainyard {

/// Checks finished objects against the schemas of their kinds, and for what the API server wants
/// beyond these. A violation is reported at the line of the user's text, or of the template, that
/// caused the value.
void check_objects(const ObjectSet& objects, SchemaSources schemas, const CheckInputs& surroundings,
                   const Origins& origins, Documents documents, Sink& sink);

/// Checks one object that the user wrote, whatever made it; of a `v1` List, only what is around the
/// items. `old` is the object that it is to replace; null for a new one.
void check_manifest(const Tree& tree, NodeId object, const SourceMap& sources,
                    SchemaSources schemas, const CheckInputs& surroundings, Sink& sink,
                    const Tree* old = nullptr);

}  // namespace trainyard
