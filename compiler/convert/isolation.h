#pragma once

#include "convert/conversion.h"

namespace trainyard {

/// Takes the NetworkPolicy of the job, where it is among the inputs and one that a build makes.
void read_isolation(Conversion& job);

}  // namespace trainyard
