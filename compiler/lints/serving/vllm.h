#pragma once

#include "check/check.h"

namespace trainyard {

// Servers of vLLM, whose command says where they listen and over how many GPUs they are spread.
// vllm-project/vllm vllm/entrypoints/openai/cli_args.py, vllm/engine/arg_utils.py

/// Probes and Services that ask at another port than that of the server.
void check_vllm_port(const Pod& pod, CheckContext& context);
/// Servers within one pod that want more GPUs than it has.
void check_vllm_size(const Pod& pod, CheckContext& context);
/// Servers alone in their container that want fewer.
void check_vllm_idle(const Pod& pod, CheckContext& context);
/// Servers that Ray spreads over the pods of a LeaderWorkerSet.
void check_vllm_group(const Workload& workload, CheckContext& context);
/// Probes that end a server before it has read its model.
void check_vllm_start(const Pod& pod, CheckContext& context);

}  // namespace trainyard
