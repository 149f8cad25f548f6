#pragma once

#include "manifest/workload.h"
#include "tree/tree.h"

namespace trainyard {

/// Whether the launcher of an MPIJob is Open MPI's, as far as the job says.
bool runs_open_mpi(const Workload& workload);

/// Whether mpirun may start more processes than there are slots, by an option or by a variable.
bool may_oversubscribe(View container);

}  // namespace trainyard
