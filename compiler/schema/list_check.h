#pragma once

#include "schema/subject.h"

namespace trainyard {

/// How many items a list has, and whether it has some twice.
void check_list(const Subject& subject, const SchemaNode& schema, const Frame& at);

}  // namespace trainyard
