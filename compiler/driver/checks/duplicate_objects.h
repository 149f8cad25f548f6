#pragma once

#include <cstdint>
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

/// Says of each object that stands more than once in one file where it stood before. `objects` are
/// in the order of the inputs. What two files have in common is often meant for two clusters.
void check_repeated(Session& session, const std::vector<SeenObject>& objects,
                    const Surroundings& surroundings);

}  // namespace trainyard
