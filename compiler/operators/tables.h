#pragma once

#include <span>

#include "check/check.h"

namespace trainyard {

/// What operators refuse, by operator.
CheckTables operator_checks();

// Those of the files of this folder, one for each subject: the rows of tables.def.
#define TRAINYARD_TABLE(name) extern const std::span<const Check> name;
#include "operators/tables.def"
#undef TRAINYARD_TABLE

}  // namespace trainyard
