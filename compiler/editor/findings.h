#pragma once

#include <set>
#include <string>
#include <vector>

#include "editor/message_values.h"
#include "editor/workspace.h"

namespace trainyard {

/// One finding in a document, as the protocol has it.
struct EditorFinding {
  Json diagnostic;
  std::size_t begin = 0;  // bytes of the document
  std::size_t end = 0;
  std::vector<Json> actions;  // a CodeAction for each fix
};

/// What is wrong with an open document, and what that depends on.
struct DocumentFindings {
  std::int64_t version = 0;
  std::vector<EditorFinding> findings;
  std::set<std::string> files;  // that were read, with the document's own
};

/// Findings beyond this number are counted in one line.
inline constexpr std::size_t kMostFindings = 1000;

/// Checks a document as `trainyard validate` does, with its text in the editor. A finding in
/// another file is shown at the beginning of the document, with the place as a related one.
DocumentFindings find_mistakes(Workspace& workspace, const OpenDocument& document);

}  // namespace trainyard
