#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tree/tree.h"

namespace trainyard {

/// A JSON value as nodes of `tree`, with texts interned there.
NodeId add_json(Tree& tree, const nlohmann::json& json, OriginId origin = kNoOrigin);

}  // namespace trainyard
