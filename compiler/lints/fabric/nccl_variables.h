#pragma once

#include "check/check.h"

namespace trainyard {

/// Variables for NCCL that it never asks for, and values that it reads as something else or not at
/// all. NVIDIA/nccl src/misc/param.cc ncclLoadParam, src/graph/paths.cc ncclGetLevel
void check_nccl_variables(const Pod& pod, CheckContext& context);

}  // namespace trainyard
