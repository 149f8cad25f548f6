#pragma once

#include <string>

#include "driver/plan/git_tree.h"
#include "driver/session/session.h"

namespace trainyard {

/// The files that Git hands to a merge driver, and the path of what they become.
struct MergeRequest {
  std::string base;  // empty if both branches added the file
  std::string ours;  // Git takes the result from here
  std::string theirs;
  std::string path;
};

enum class MergeResult {
  Merged,
  Unmerged,   // the text of our side, marked: `render` writes the right one
  Conflicts,  // in a file that a user writes or has edited, between the markers of Git
  Failed,     // with an error in the session's sink
};

/// Git merges file by file, in memory: while it merges a generated file, the merged specs are
/// nowhere, so nothing can render them. Two generated texts do not merge either, since a changed
/// spec gives its job another name. So the text of our side stays, as valid YAML, and Git leaves
/// the conflict open. What a user writes is merged as text, by Git.
MergeResult merge_generated(Session& session, const MergeRequest& request, const RunGit& git);

}  // namespace trainyard
