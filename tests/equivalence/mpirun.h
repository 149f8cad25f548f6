#pragma once

#include "equivalence/pods.h"

namespace trainyard::testing {

/// Where one pod starts the program on the others by mpirun: gives each pod with a rank the command
/// and the variables that reach it from there, in place of its own sshd. Other jobs stay as they
/// are.
void follow_mpirun(MadeJob& job);

}  // namespace trainyard::testing
