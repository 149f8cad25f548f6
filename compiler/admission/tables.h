#pragma once

#include <span>

#include "check/check.h"

namespace trainyard {

/// What the API server refuses, by subject, in the order in which people read a manifest.
CheckTables admission_checks();

// Those of the files of this folder, one for each subject: the rows of tables.def.
#define TRAINYARD_TABLE(name) extern const std::span<const Check> name;
#include "admission/tables.def"
#undef TRAINYARD_TABLE

}  // namespace trainyard
