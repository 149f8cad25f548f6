#pragma once

#include <string>

#include "editor/workspace.h"

namespace trainyard {

/// The fields at or below `path` that a job leaves out, each with the line of the output that its
/// default leads to, as a list in Markdown. "" for a document that is not compiled without errors.
std::string filled_in(Workspace& workspace, const OpenDocument& document, const std::string& path);

}  // namespace trainyard
