#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "driver/session/session.h"

namespace trainyard {

/// What of a change does not come into force by itself.
struct RefusedChange {
  std::string what;    // a sentence
  std::string advice;  // how it goes on
};

/// What does not come into force by itself of the change from `before` to `after`, two texts of a
/// build, while the objects of `before` are there: that an API server refuses it, or takes it and
/// leaves pods that run as they are. One for each object; none when all of it works.
std::vector<RefusedChange> refused_changes(const Session& session, std::string_view before,
                                           std::string_view after);

/// What an API server says against the change alone: a sentence for each object that it is refused
/// of.
std::vector<std::string> api_refusals(const Session& session, std::string_view before,
                                      std::string_view after);

}  // namespace trainyard
