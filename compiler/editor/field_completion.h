#pragma once

#include "editor/message_values.h"
#include "editor/workspace.h"

namespace trainyard {

/// What can stand at a place of a document, half-typed or not: fields that are not there yet, the
/// values of an enumeration, and names that the Cluster knows. A `CompletionList`.
Json complete(Workspace& workspace, const OpenDocument& document, std::size_t offset);

}  // namespace trainyard
