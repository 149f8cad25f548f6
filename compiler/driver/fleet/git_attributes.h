#pragma once

#include <string>
#include <string_view>

#include "driver/session/session.h"

namespace trainyard {

struct GitAttributes {
  std::string path;
  bool written = false;  // false when it says something of the tree already
};

/// What tells a clone how to merge these files. Git takes no programs from a repository, so every
/// user runs it.
inline constexpr std::string_view kMergeDriverCommand =
    "git config merge.trainyard.driver 'trainyard merge-driver %O %A %B %P'";

/// Adds a line about the tree of a fleet to `.gitattributes` beside its document: forges fold the
/// generated files in, and Git merges them with `trainyard merge-driver`. What is wrong is an error
/// in the session's sink.
GitAttributes add_git_attributes(Session& session, const std::string& fleet);

}  // namespace trainyard
