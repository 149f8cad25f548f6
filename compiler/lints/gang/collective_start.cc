#include "lints/gang/collective_start.h"

#include <algorithm>
#include <string_view>

#include "manifest/launch.h"
#include "shell/command_line.h"
#include "shell/script_commands.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Whether a container gets the addresses of other processes.
bool is_told_of_others(View container) {
  for (std::string_view name : {"MASTER_ADDR", "PET_MASTER_ADDR", "WORLD_SIZE",
                                "JAX_COORDINATOR_ADDRESS", "PET_NNODES", "NNODES"}) {
    if (variable(container, name)) return true;
  }
  return false;
}

/// `torchrun --standalone`: the processes of one pod, whatever the others do.
bool runs_alone(View container) {
  const auto call = torchrun_call(container);
  if (!call) return false;
  return call->option("standalone") ||
         string_of(variable_value(container, "PET_STANDALONE")) == "1";
}

bool has_only_lone_pods(const Workload& workload) {
  return std::ranges::all_of(workload.roles, [](const WorkloadRole& role) {
    return std::ranges::any_of(role.containers, runs_alone);
  });
}

/// `--nnodes=2:4`, the fewest and the most: pytorch/pytorch torch/distributed/run.py
/// parse_min_max_nnodes.
bool torchrun_takes_fewer(View container, std::int64_t pods) {
  const auto call = torchrun_call(container);
  std::string_view nodes = call ? std::string_view(call->option("nnodes").text) : "";
  if (nodes.empty()) nodes = string_of(variable_value(container, "PET_NNODES"));
  const ExplicitNumber fewest = explicit_node_count(container);
  return nodes.find(':') != std::string_view::npos && fewest && fewest.number < pods;
}

/// `horovodrun --min-np 1`: horovod/horovod horovod/runner/launch.py. With fewer processes than
/// there are pods it can do without some of these.
bool horovod_takes_fewer(View container, std::int64_t pods) {
  const ShellWords words = command_words(container);
  bool is_called = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view option = words[i].text.substr(0, words[i].text.find('='));
    is_called = is_called || program_name(option) == "horovodrun";
    if (!is_called || (option != "--min-np" && option != "--min-num-proc")) continue;
    const auto fewest = value_at(words, i).number();
    return fewest && *fewest < pods;
  }
  return false;
}

}  // namespace

std::string counted_pods(std::int64_t count) {
  return std::to_string(count) + (count == 1 ? " pod" : " pods");
}

bool waits_for_all(const WorkloadRole& role) {
  for (View container : role.containers) {
    if (runs_alone(container)) continue;
    const ExplicitNumber nodes = explicit_node_count(container);
    if ((nodes && nodes.number > 1) || is_told_of_others(container)) return true;
  }
  return false;
}

bool is_distributed(const Workload& workload) {
  if (is_training_kind(workload)) return true;
  if (has_only_lone_pods(workload)) return false;
  for (const WorkloadRole& role : workload.roles) {
    if (role.pods > 1 && !string_at(role.pod.spec, "subdomain").empty()) return true;
    for (View container : role.containers) {
      if (torchrun_call(container) || is_told_of_others(container)) return true;
    }
  }
  return workload.kind == "JobSet";
}

bool is_elastic(const Workload& workload) {
  const View cluster = get(workload.spec, "rayClusterSpec");
  if (get(workload.spec, "elasticPolicy") ||
      is_true(get(cluster ? cluster : workload.spec, "enableInTreeAutoscaling"))) {
    return true;
  }
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      if (torchrun_takes_fewer(container, role.pods)) return true;
      if (horovod_takes_fewer(container, workload.working_pods())) return true;
    }
  }
  return false;
}

}  // namespace trainyard
