#pragma once

#include <string>

#include "schema/pack.h"
#include "tree/node_words.h"

namespace trainyard {

/// "an integer", "a string or an integer".
std::string wanted_types(const SchemaNode& schema);

}  // namespace trainyard
