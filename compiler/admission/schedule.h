#pragma once

#include <string_view>

#include "schema/names.h"

namespace trainyard {

/// What is wrong with a cron schedule, as the end of a sentence that starts with it; nothing when
/// it is right. robfig/cron v3 parser.go ParseStandard: five fields, or a word behind `@`.
Fault why_no_schedule(std::string_view text);

}  // namespace trainyard
