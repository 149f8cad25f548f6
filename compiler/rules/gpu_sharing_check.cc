#include <string>

#include "rules/gpu_offer.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

std::string word(const Located<Sharing>& sharing) {
  return code(spelling(*sharing->mode));
}

Span place_of_gpus(const RuleContext& context, const RoleInput& input) {
  const Span place = context.place(input.role->gpus.origin);
  return place.known() ? place : context.in.job->spec.span;
}

/// What the job says of sharing against what the Cluster says of its nodes.
void check_agreement(RuleContext& context, const RoleInput& input) {
  const auto& wanted = context.of(input, &RoleFields::gpu)->sharing;
  const Located<Sharing>* sharing = sharing_of_nodes(context, input.nodes);
  const bool shared = is_shared(context, input);
  if (!wanted) {
    if (!shared) return;
    context
        .report(DiagnosticKind::SharedGpus, place_of_gpus(context, input),
                "other pods use the GPUs of these nodes, too")
        .also(sharing->span, "GPUs are shared here")
        .note("write `gpu: {sharing: " + std::string(spelling(*(*sharing)->mode)) +
              "}` if that is meant");
    return;
  }
  if (sharing == nullptr) {
    // Other pools may share theirs; only a known one is known not to.
    if (!shared || input.nodes.pool == nullptr) return;
    context
        .report(DiagnosticKind::ConflictingValues, wanted.span,
                "the GPUs of the pool " + code(*(*input.nodes.pool)->name) + " are not shared")
        .note("the Cluster says so in `gpu.sharing`, for all nodes or for those of a pool");
    return;
  }
  const auto mode =
      shared ? static_cast<SharingMode>(static_cast<int>(*wanted) - 1) : SharingMode{};
  if (shared && mode == *(*sharing)->mode) return;
  if (!shared && context.of(input, &RoleFields::gpu)->mig) return;
  context
      .report(DiagnosticKind::ConflictingValues, wanted.span,
              "GPUs are shared by " + word(*sharing) + " on these nodes")
      .also((*sharing)->mode.span, "as the Cluster says");
}

void check_amount(RuleContext& context, const RoleInput& input) {
  const Located<Sharing>* sharing = sharing_of_nodes(context, input.nodes);
  if (sharing == nullptr || !is_shared(context, input) || *input.role->gpus < 2) return;
  const Flag& fails = (*sharing)->fail_requests_greater_than_one;
  if (!fails.value_or(false)) return;
  context
      .report(DiagnosticKind::GpusExceedMachine, place_of_gpus(context, input),
              "these nodes give a pod one shared GPU only")
      .also(fails.span, "by this");
}

/// MPS splits whole GPUs only (NVIDIA/k8s-device-plugin README.md).
void check_slices(RuleContext& context, const RoleInput& input) {
  const GpuRequest& gpu = *context.of(input, &RoleFields::gpu);
  if (!gpu.mig || effective_sharing(context, input) != GpuSharing::Mps) return;
  context.report(DiagnosticKind::ConflictingValues, gpu.mig.span,
                 "MIG slices cannot be shared by `mps`");
}

/// CUDA gives a process one slice at most, and two shared GPUs may be the same one.
void check_processes(RuleContext& context, const RoleInput& input) {
  const std::int64_t processes = *input.role->processes;
  const bool slices = context.of(input, &RoleFields::gpu)->mig.given();
  if (processes < 2 || (!slices && !is_shared(context, input))) return;
  context
      .report(DiagnosticKind::RanksOnOneGpu, context.place(input.role->processes.origin),
              std::to_string(processes) + " processes of a pod cannot use NCCL among " +
                  (slices ? "MIG slices" : "shared GPUs"))
      .note(slices ? "CUDA shows a process only the first of several slices"
                   : "two shared GPUs may be one and the same, on which NCCL refuses two ranks")
      .note("use one per pod and more `nodes`, or `processesPerNode: 1`");
}

void run(RuleContext& context) {
  for (const RoleInput& input : context.roles) {
    if (*input.role->gpus == 0) continue;
    check_agreement(context, input);
    check_amount(context, input);
    check_slices(context, input);
    check_processes(context, input);
  }
}

}  // namespace

extern const Rule gpu_sharing_check_rule{
    "gpu-sharing-check",
    Rule::Phase::Check,
    "GPUs are shared only where job and nodes agree, and no pod starts several ranks on parts of "
    "GPUs.",
    "A shared GPU has no memory of its own, and more than one of them is more accesses, not more "
    "GPUs (NVIDIA/k8s-device-plugin README.md).",
    "spec.gpu cluster.gpu.sharing cluster.gpu.migStrategy cluster.pools role.nodes role.gpus "
    "role.processes",
    "",
    run};

}  // namespace trainyard
