#pragma once

#include <cstdint>
#include <string_view>

#include "driver/build/compile.h"

namespace trainyard {

/// How far a compilation came: the last stage that ended without an error.
enum class Reached : std::uint8_t { Nothing, Words, Input, Rules, Objects, All };

/// As `compile`, but ends with the first stage that has an error.
Reached compile_once(Session& session, const Document& document, const ClusterDocument* cluster,
                     std::string_view target, Compilation& out);

/// As `compile_once`, without the checks of the objects: up to `Reached::Objects`.
Reached compile_objects(Session& session, const Document& document, const ClusterDocument* cluster,
                        std::string_view target, Compilation& out);

}  // namespace trainyard
