// Slices of GPUs in jobs whose processes talk to each other.

#include <string>

#include "check/check.h"
#include "check/command_line.h"
#include "check/launch.h"
#include "check/read.h"
#include "check/tables.h"
#include "schema/words.h"

namespace trainyard {
namespace {

void mig_in_collective(const Workload& workload, CheckContext& context) {
  for (const WorkloadRole& role : workload.roles) {
    if (role.is_launcher) continue;
    const Devices devices = role.devices();
    if (devices.slices == 0) continue;
    std::int64_t processes = 0;
    bool torchrun = false;
    for (View container : role.containers) {
      torchrun = torchrun || torchrun_call(container) != nullptr;
      if (const Stated each = processes_per_pod(workload, container)) processes = each.number;
    }
    const bool together = is_training_kind(workload) || torchrun;
    if (!together) continue;
    const bool in_pod = devices.slices > 1 && processes != 1;
    if (!in_pod && workload.working_pods() < 2) continue;
    context.lint(devices.at, in_pod
                                 ? std::to_string(devices.slices) +
                                       " MIG slices in one pod of a job whose processes talk "
                                       "to each other"
                                 : std::to_string(workload.working_pods()) +
                                       " pods on MIG slices, whose processes talk to each other");
  }
}

/// kubeflow/trainer counts a resource whose name contains `gpu`.
void mig_is_not_counted(const Workload& workload, CheckContext& context) {
  const bool runtime = workload.kind.ends_with("TrainingRuntime");
  if (!runtime && workload.kind != "TrainJob") return;
  if (runtime && !get(get(workload.spec, "mlPolicy"), "torch")) return;
  for (const WorkloadRole& role : workload.roles) {
    const Devices devices = role.devices();
    if (devices.slices < 1 || devices.whole > 0) continue;
    bool stated = false;
    for (View container : role.containers) {
      stated = stated || processes_per_pod(workload, container);
    }
    if (stated) continue;
    context.lint(devices.at, "no number of processes is given, and Trainer counts no GPUs in " +
                                 shown(devices.at->key) + ": it starts one process per CPU");
  }
}

constexpr Check kChecks[] = {
    {.name = "mig-in-a-collective",
     .on = "workload",
     .sentence = "Processes that talk to each other have whole GPUs.",
     .source = "NVIDIA MIG user guide, limitations: no GPU-to-GPU communication between slices; "
               "NVIDIA/nccl issue 431",
     .workload = mig_in_collective,
     .severity = Severity::Warning,
     .because = "Slices cannot reach each other, and NCCL takes two on one GPU for a duplicate.",
     .fix = "ask for `nvidia.com/gpu`, or run one process on one slice",
     .rule = "gpu-sharing-check"},
    {.name = "mig-is-not-counted",
     .on = "workload",
     .sentence = "A TrainJob on MIG slices says how many processes each node has.",
     .source =
         "kubeflow/trainer pkg/runtime/framework/plugins/torch: resources whose names contain "
         "`gpu`",
     .workload = mig_is_not_counted,
     .severity = Severity::Warning,
     .because = "Where it finds no GPU, `auto` means the number of CPUs.",
     .fix = "set `numProcPerNode`",
     .rule = "processes"},
};

}  // namespace

const std::span<const Check> mig_lints = kChecks;

}  // namespace trainyard
