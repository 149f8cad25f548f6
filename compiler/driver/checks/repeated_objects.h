#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "check/check_context.h"
#include "driver/session/session.h"
#include "source/span.h"
#include "tree/tree.h"

namespace trainyard {

/// Whether two objects are one to the API server: of one group and kind, with one name.
bool is_same_object(View a, View b);

/// What is kept of an object to know it again.
struct SeenObject {
  std::uint64_t identity = 0;  // equal for the same object, and hardly ever for another
  Span name;
};

/// Adds an object that has a name.
void remember(View object, std::vector<SeenObject>& objects);

/// Files that are surely applied together. What two other files have in common is often meant for
/// two clusters, or is two examples.
struct AppliedTogether {
  std::string kustomization;  // that lists them; "" for a directory of built files
  std::vector<FileId> files;
  std::vector<std::string> images = {};  // names whose tag it sets
  std::vector<FileId> patched = {};      // files whose objects it may change, in other folders too
};

/// Says of each object that stands more than once in a file, or in files that are applied together,
/// where it stood before. `objects` are in the order of the inputs.
void check_repeated(Session& session, const std::vector<SeenObject>& objects,
                    const std::vector<AppliedTogether>& together, const CheckInputs& surroundings);

}  // namespace trainyard
