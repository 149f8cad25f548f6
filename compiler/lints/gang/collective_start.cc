#include "lints/gang/collective_start.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "manifest/launch.h"
#include "shell/command_line.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Whether a container is told where other processes are.
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
  const Stated fewest = stated_nodes(container);
  return nodes.find(':') != std::string_view::npos && fewest && fewest.number < pods;
}

/// `horovodrun --min-np 1`: horovod/horovod horovod/runner/launch.py. With fewer processes than
/// there are pods it can do without some of these.
bool horovod_takes_fewer(View container, std::int64_t pods) {
  constexpr auto options = std::to_array<std::string_view>({"--min-np", "--min-num-proc"});
  bool is_called = false;
  for (const std::vector<ShellWord> words = command_words(container);
       const ShellWord& word : words) {
    is_called = is_called || word.text == "horovodrun" || word.text.ends_with("/horovodrun");
    if (!is_called) continue;
    const std::string_view text = word.text;
    const std::size_t sign = text.find('=');
    if (std::ranges::find(options, text.substr(0, sign)) == options.end()) continue;
    const ShellWord* next = &word == &words.back() ? nullptr : &word + 1;
    const std::string_view value = sign != std::string_view::npos ? text.substr(sign + 1)
                                   : next != nullptr              ? std::string_view(next->text)
                                                                  : std::string_view();
    const auto fewest = plain_number(value);
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
    const Stated nodes = stated_nodes(container);
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
