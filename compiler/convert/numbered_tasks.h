#pragma once

#include <string>
#include <string_view>

#include "tree/tree.h"

namespace trainyard {

/// Whether the tasks of a Volcano Job are one group of pods, with a task for each pod: `train-0`,
/// `train-1`. Their templates differ in no more than the number, and in how rank 0 is named.
/// meta-pytorch/torchx torchx/schedulers/kubernetes_scheduler.py
bool are_numbered_tasks(View job_spec);

/// The variable that tells such a task that it is rank 0.
inline constexpr std::string_view kRankZeroVariable = "TORCHX_RANK0_HOST";
/// The label with the number of such a task.
inline constexpr std::string_view kTaskNumberLabel = "torchx.pytorch.org/replica-id";

/// A script in which the host of rank 0 stands for the variable that names it:
/// `${TORCHX_RANK0_HOST:=localhost}`, `${VC_TRAIN_0_HOSTS:=localhost}`.
std::string with_rank_zero(std::string_view script, std::string_view host);

}  // namespace trainyard
