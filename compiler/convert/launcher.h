#pragma once

#include "convert/conversion.h"

namespace trainyard {

/// Of a job of mpirun: the workers are its nodes, and what the launcher starts is its program. Of
/// the launcher remains, as a role, what the workers do not have.
void join_launcher(Conversion& job);

/// Before the roles are read, by their pod templates: whether a build has made the launcher's line,
/// which says how many processes there are.
void prepare_join(Conversion& job, View launcher, View worker);

}  // namespace trainyard
