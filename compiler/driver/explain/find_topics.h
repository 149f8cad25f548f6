#pragma once

#include <string>
#include <string_view>

#include "driver/session/session.h"

namespace trainyard {

/// Everything that speaks of a word without being called so: fields of a TrainingJob and a Cluster,
/// and rows of `trainyard list`. A text for people, with the calls that explain each; "" for none.
std::string topics_about(Session& session, std::string_view word);

}  // namespace trainyard
