#pragma once

#include <string_view>
#include <vector>

#include "tree/tree.h"

namespace trainyard {

/// Who has written a field of an object that is on a cluster, by its `managedFields`.
struct FieldOwner {
  std::string_view manager;  // `kubectl-edit`
  std::string_view time;     // RFC 3339; "" for none
  bool applies = false;      // by server-side apply; else by an update
};

/// All owners of the field at a path such as `spec.template.spec.containers[main].image`, or of a
/// field below it. None where the object has no `managedFields`: `kubectl get` hides them.
std::vector<FieldOwner> owners_of(View live, std::string_view path);

/// Whether a person has written it with kubectl.
bool is_person(const FieldOwner& owner);

/// The next step of such a path, which loses it.
struct PathStep {
  std::string_view name;
  bool in_brackets = false;
};
PathStep take_step(std::string_view& path);

}  // namespace trainyard
