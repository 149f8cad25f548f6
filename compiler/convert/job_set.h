#pragma once

#include "convert/conversion.h"

namespace trainyard {

/// Reads the spec of a JobSet, be it one that the Trainer makes.
void read_job_set(Conversion& job, View spec);

/// What the language calls a role of this name: `workers` is `worker`. "" for none.
std::string_view role_word(std::string_view name);

}  // namespace trainyard
