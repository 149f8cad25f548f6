#pragma once

#include "driver/build/compile.h"

namespace trainyard {

/// Names the objects of a run by what a running job cannot take: eight digits of a hash over the
/// fields that templates/kinds.yaml names, and over `spec.generation`, take the place of
/// kUnnamedRun in all values. Two runs that differ in none of these have one name. Does nothing for
/// a job that keeps its name.
void name_by_run(const JobKinds& kinds, Compilation& job);

}  // namespace trainyard
