#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "driver/session/session.h"

namespace trainyard {

/// What an API server refuses of the change from `before` to `after`, two texts of a build, while
/// the objects of `before` are there: a sentence for each object; empty when it takes all.
std::vector<std::string> refused_changes(const Session& session, std::string_view before,
                                         std::string_view after);

}  // namespace trainyard
