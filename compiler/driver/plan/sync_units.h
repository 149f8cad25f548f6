#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "driver/plan/sync_marks.h"
#include "driver/plan/tree_objects.h"

namespace trainyard {

/// How a tool syncs a directory and all below it.
struct SyncUnit {
  std::string path;     // from the root of the repository: `rendered/aws/jobs/nlp`; "" for all.
                        // Of an ApplicationSet: a pattern, with a unit for each directory that fits
  std::string name;     // `Kustomization/aws-nlp`
  bool forces = false;  // all objects, as a mark of each would
  bool prunes = true;
  bool server_side = false;   // Argo CD applies on the server's side
  bool only_changed = false;  // and nothing that is as it shall be
};

/// The Kustomizations of Flux among the objects of a tree; or the Applications of Argo CD, and
/// those that its ApplicationSets make of directories in Git.
class SyncUnits {
 public:
  SyncUnits(SyncTool tool, const ObjectTree& tree);

  /// What syncs a directory, the narrowest of several; null where none of them does.
  const SyncUnit* of(std::string_view directory) const;
  /// The directory that is synced as one with this one: itself where nothing syncs it, or all.
  std::string directory_of(std::string_view directory) const;

 private:
  std::vector<SyncUnit> units_;
};

}  // namespace trainyard
