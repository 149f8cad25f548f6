#pragma once

#include <string>
#include <vector>

#include "driver/session.h"

namespace trainyard {

/// Reads every CRD and compact schema below these directories into a pack of the session, which is
/// asked before the pack in the program. What cannot be read is an error in the session's sink, and
/// nothing is added then.
void load_user_schemas(Session& session, const std::vector<std::string>& directories);

}  // namespace trainyard
