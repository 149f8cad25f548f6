#pragma once

#include "schema/subject.h"

namespace trainyard {

/// The fields that a map must have.
void check_required(const Subject& subject, const SchemaNode& schema, const Frame& at);
/// How many entries a map has, defaults among them.
void check_property_count(const Subject& subject, const SchemaNode& schema, const Frame& at);
/// Reports the entry at `at`, which the schema of its map does not know, with what was meant.
void report_unknown_field(const Subject& subject, const SchemaNode& schema, const Frame& at);

}  // namespace trainyard
