#pragma once

#include "check/check_context.h"
#include "manifest/workload.h"

namespace trainyard {

/// `accelerate launch --config_file` with a file of a ConfigMap: its numbers against the job.
void check_accelerate_file(const Workload& workload, CheckContext& context);

/// Sizes of parallel groups and of batches, of Megatron's options and DeepSpeed's file, against the
/// number of processes.
void check_parallel_sizes(const Workload& workload, CheckContext& context);

}  // namespace trainyard
