// Slices of GPUs in jobs whose processes talk to each other.

#include <algorithm>
#include <array>
#include <string>

#include "check/check.h"
#include "diag/words.h"
#include "lints/gpu/mig_profile.h"
#include "lints/tables.h"
#include "manifest/launch.h"
#include "shell/command_line.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

void mig_in_collective(const Workload& workload, CheckContext& context) {
  for (const WorkloadRole& role : workload.roles) {
    if (role.is_launcher) continue;
    const Devices devices = role.devices;
    if (devices.slices == 0) continue;
    std::int64_t processes = 0;
    bool torchrun = false;
    for (View container : role.containers) {
      torchrun = torchrun || torchrun_call(container) != nullptr;
      if (const ExplicitNumber each = processes_per_pod(workload, container))
        processes = each.number;
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

/// Without CPUs, one process is started. A template that is elsewhere may ask for some.
bool asks_for_cpus(const WorkloadRole& role) {
  return std::ranges::any_of(role.containers, [](View container) {
    const View own = get(container, "resources");
    const View resources = own ? own : get(container, "resourcesPerNode");
    return get(get(resources, "limits"), "cpu") || get(get(resources, "requests"), "cpu");
  });
}

/// kubeflow/trainer counts a resource whose name contains `gpu`.
void mig_is_not_counted(const Workload& workload, CheckContext& context) {
  const bool runtime = workload.kind.ends_with("TrainingRuntime");
  if (!runtime && workload.kind != "TrainJob") return;
  if (runtime && !get(get(workload.spec, "mlPolicy"), "torch")) return;
  for (const WorkloadRole& role : workload.roles) {
    const Devices devices = role.devices;
    if (devices.slices < 1 || devices.whole > 0) continue;
    bool stated = false;
    for (View container : role.containers) {
      stated = stated || processes_per_pod(workload, container);
    }
    if (stated || (devices.slices == 1 && !asks_for_cpus(role))) continue;
    context.lint(devices.at, "no number of processes is given, and Trainer counts no GPUs in " +
                                 shown(devices.at.key()) + ": it starts one process per CPU");
  }
}

constexpr std::string_view kMigPrefix = "nvidia.com/mig-";

std::size_t leading_digits(std::string_view text) {
  return std::min(text.find_first_not_of("0123456789"), text.size());
}

}  // namespace

std::string fault_of_mig_profile(std::string_view profile) {
  const std::size_t compute = leading_digits(profile);
  if (compute != 0 && profile.substr(compute).starts_with("c.")) profile.remove_prefix(compute + 2);
  const std::string_view size = profile.substr(0, leading_digits(profile));
  std::string_view rest = profile.substr(size.size());
  const bool has_size = !size.empty() && rest.starts_with("g.");
  if (has_size) rest.remove_prefix(2);
  const std::size_t memory = leading_digits(rest);
  rest.remove_prefix(memory);
  const bool is_whole = rest == "gb" || rest.starts_with("gb.") || rest.starts_with("gb-");
  if (!has_size || memory == 0 || !is_whole) {
    return "is not of the form of a profile, such as `1g.10gb`";
  }
  constexpr auto sizes = std::to_array<std::string_view>({"1", "2", "3", "4", "6", "7", "8"});
  if (std::ranges::find(sizes, size) != sizes.end()) return {};
  return "is no profile: there are no slices of size " + std::string(size);
}

namespace {

void mig_profile(const Pod& pod, CheckContext& context) {
  for (const PodContainer& each : pod.containers) {
    for (View amount : entries_at(get(each.node, "resources"), "limits")) {
      if (!amount.key().starts_with(kMigPrefix)) continue;
      const std::string fault = fault_of_mig_profile(amount.key().substr(kMigPrefix.size()));
      if (!fault.empty()) context.lint(amount, "resource " + shown(amount.key()) + " " + fault);
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "mig-profile",
     .group = CheckGroup::Gpu,
     .effect = Effect::NeverRuns,
     .sentence = "A slice of a GPU has a profile that exists.",
     .source = "NVIDIA/go-nvlib pkg/nvlib/device/mig_profile.go ParseMigProfile; NVIDIA MIG user "
               "guide, supported profiles; NVIDIA/k8s-device-plugin api/config/v1/resources.go",
     .pod = mig_profile,
     .severity = Severity::Warning,
     .because = "No node offers such a resource, and the pods stay pending.",
     .fix = "name a profile as `nvidia-smi mig -lgip` lists it for the GPU: `nvidia.com/mig-` with "
            "size and memory",
     .rule = "mig-check"},
    {.name = "mig-in-a-collective",
     .group = CheckGroup::Gpu,
     .effect = Effect::NeverRuns,
     .sentence = "Processes that talk to each other have whole GPUs.",
     .source = "NVIDIA MIG user guide, limitations: no GPU-to-GPU communication between slices; "
               "NVIDIA/nccl issue 431",
     .workload = mig_in_collective,
     .severity = Severity::Warning,
     .because = "Slices cannot reach each other, and NCCL takes two on one GPU for a duplicate.",
     .fix = "ask for `nvidia.com/gpu`, or run one process on one slice",
     .rule = "gpu-sharing-check"},
    {.name = "mig-is-not-counted",
     .group = CheckGroup::Gpu,
     .effect = Effect::RunsWrong,
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
