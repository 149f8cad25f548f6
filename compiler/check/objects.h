#pragma once

#include "diag/sink.h"
#include "schema/check.h"
#include "schema/pack.h"
#include "target/object_set.h"

namespace trainyard {

/// Checks finished objects against the schemas of their kinds. A violation is reported at the line
/// of the user's text, or of the template, that caused the value.
void check_objects(const ObjectSet& objects, const SchemaPack& pack, Checker& checker,
                   const Origins& origins, Sink& sink);

/// Checks one document that the user wrote as an object, whatever made it.
void check_manifest(const Tree& tree, const SchemaPack& pack, Checker& checker, Sink& sink);

}  // namespace trainyard
