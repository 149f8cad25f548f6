#pragma once

#include <string_view>

#include "driver/session/session.h"

namespace trainyard {

/// Says that there is no target of this name, or none yet, and which ones there are.
void report_unknown_target(Session& session, std::string_view name, Span span);

}  // namespace trainyard
