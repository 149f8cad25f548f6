#pragma once

#include <string>

#include "editor/message_values.h"
#include "editor/workspace.h"

namespace trainyard {

/// The edits that lay a document out as `trainyard fmt` does; `fault` says why it cannot be.
Json format_document(Workspace& workspace, const OpenDocument& document, std::string& fault);

}  // namespace trainyard
