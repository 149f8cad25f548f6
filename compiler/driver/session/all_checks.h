#pragma once

#include <string_view>

#include "check/check.h"

namespace trainyard {

/// All checks: of the API server, of operators, and lints.
CheckTables all_checks();
const Check* find_check(std::string_view name);

}  // namespace trainyard
