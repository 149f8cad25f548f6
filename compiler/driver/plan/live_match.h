#pragma once

#include <set>
#include <vector>

#include "driver/plan/sync_plan.h"

namespace trainyard {

/// Finds objects of trees in a dump, and remembers which it has found.
class LiveMatch {
 public:
  /// The states must outlive this.
  explicit LiveMatch(const SyncStates& states) : states_(&states) {}

  /// Null where the dump does not have it. An object of a tree may leave its namespace to the tool.
  const TreeObject* find(const TreeObject& object);
  /// What the tool keeps together with objects that were found, and was not found itself; not what
  /// a controller has made.
  std::vector<const TreeObject*> left() const;
  /// Reports a dump that has nothing of the tree, as one of another cluster would look.
  void tell_foreign(Session& session) const;

 private:
  const SyncStates* states_;
  std::set<const TreeObject*> found_;
};

/// Warns of a dump that has objects, and none of the tree.
void tell_foreign_dump(const ObjectTree& live, Sink& sink);

}  // namespace trainyard
