#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "driver/session/session.h"

namespace trainyard {

/// What does not come into force by itself of the change from `before` to `after`, two texts of a
/// build, while the objects of `before` are there: that an API server refuses it, or takes it and
/// leaves pods that run as they are. A sentence for each object; empty when all of it works.
std::vector<std::string> refused_changes(const Session& session, std::string_view before,
                                         std::string_view after);

}  // namespace trainyard
