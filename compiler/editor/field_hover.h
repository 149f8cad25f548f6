#pragma once

#include "editor/message_values.h"
#include "editor/workspace.h"

namespace trainyard {

/// What `trainyard explain` knows of the field or the name at a place, with the default that counts
/// where it is left out; of a line that `trainyard build` wrote also where it comes from. A
/// `Hover`, or null.
Json hover(Workspace& workspace, const OpenDocument& document, std::size_t offset);

}  // namespace trainyard
