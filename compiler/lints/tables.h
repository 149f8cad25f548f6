#pragma once

#include <span>

#include "check/check.h"

namespace trainyard {

/// What is accepted and then runs wrong, by subject.
CheckTables lints();

// Those of the files of this folder, one for each subject: the rows of tables.def.
#define TRAINYARD_TABLE(name) extern const std::span<const Check> name;
#include "lints/tables.def"
#undef TRAINYARD_TABLE

}  // namespace trainyard
