#pragma once

#include "convert/conversion.h"

namespace trainyard {

/// Of a job of mpirun: the workers are its nodes, and what the launcher starts is its program. Of
/// the launcher remains, as a role, what the workers do not have.
void join_launcher(Conversion& job);

}  // namespace trainyard
