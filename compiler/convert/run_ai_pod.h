#pragma once

#include "convert/conversion.h"

namespace trainyard {

/// The pod template that the fields of a workload of Run:ai come to.
View run_ai_pod(Conversion& job, ConvertedRole& role, View spec);
/// Reads it into a role, with the share of a GPU that its pods have.
void read_run_ai_pod(Conversion& job, ConvertedRole& role, View spec);

}  // namespace trainyard
