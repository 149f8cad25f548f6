#pragma once

#include <string>

#include "driver/session/session.h"

namespace trainyard {

struct GitAttributes {
  std::string path;
  bool written = false;  // false when it says something of the tree already
};

/// Adds a line about the tree of a fleet to `.gitattributes` beside its document: forges fold the
/// generated files in, and a merge leaves no markers in them. What is wrong is an error in the
/// session's sink.
GitAttributes add_git_attributes(Session& session, const std::string& fleet);

}  // namespace trainyard
