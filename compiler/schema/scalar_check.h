#pragma once

#include "schema/patterns.h"
#include "schema/subject.h"

namespace trainyard {

/// Length, pattern and format of a text, or that it is a quantity.
void check_text(const Subject& subject, Patterns& patterns, const SchemaNode& schema,
                const Frame& at);
/// Limits, steps and format of a number.
void check_number(const Subject& subject, const SchemaNode& schema, const Frame& at);

}  // namespace trainyard
