#pragma once

#include <string>
#include <vector>

#include "editor/message_values.h"
#include "editor/workspace.h"

namespace trainyard {

/// Why a line of a file is as it is that `trainyard build --provenance` wrote, in Markdown; "" for
/// any other file. `line` counts from zero.
std::string causes_text(Workspace& workspace, const OpenDocument& document, std::size_t line);

/// Where it comes from: lines of specs, Clusters and the user's templates. Each is a `Location`.
std::vector<Json> causes_places(Workspace& workspace, const OpenDocument& document,
                                std::size_t line);

}  // namespace trainyard
