#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "editor/name_sorts.h"
#include "editor/workspace.h"

namespace trainyard {

/// A name that exists, and where it comes from, in a few words: "pool of 16 a3-megagpu-8g".
struct KnownName {
  std::string name;
  std::string about;
};

/// The names of a sort that a document can use: those of its Cluster, of the catalogues, of the
/// document itself, and the images of the open documents.
std::vector<KnownName> known_names(Workspace& workspace, EditorRun& run, const Outline& outline,
                                   NameSort sort);

}  // namespace trainyard
