#include "lints/launch/tao_nodes.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "manifest/devices.h"
#include "manifest/launch.h"
#include "shell/command_line.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

ExplicitNumber number_in(View container, std::string_view name) {
  const View value = variable_value(container, name);
  const auto number = value ? plain_number(value->text) : std::nullopt;
  return number ? ExplicitNumber{*number, value} : ExplicitNumber();
}

/// Whether these pods are surely to be one job: of pods without ranks TAO makes jobs of one node.
bool are_together(const Workload& workload, const WorkloadRole& role, View container,
                  std::int64_t world_size) {
  const std::int64_t processes = number_in(container, "NUM_GPU_PER_NODE").number;
  return evidence_of_peers(workload, role, container) || variable(container, "NODE_RANK") ||
         script_sets(container, "NODE_RANK") || world_size == workload.working_pods() * processes;
}

/// Pods of a Job that runs fewer at once: what is wrong then is `parallelism`, which another check
/// says.
std::int64_t completions(const Workload& workload, const WorkloadRole& role) {
  if (!is_indexed(workload, role)) return 0;
  const bool in_template = workload.kind == "JobSet" || workload.kind.ends_with("TrainingRuntime");
  const View spec = in_template ? get(get(role.holder, "template"), "spec") : role.holder;
  return integer_at(spec, "completions").value_or(0);
}

void world_size_counts_nodes(const Workload& workload, const WorkloadRole& role, View container,
                             CheckContext& context) {
  const ExplicitNumber nodes = number_in(container, "WORLD_SIZE");
  const std::int64_t pods = workload.working_pods();
  if (!nodes || nodes.number <= 1 || pods < 2) return;
  if (nodes.number == pods || nodes.number == role.pods) return;
  if (nodes.number == completions(workload, role)) return;
  if (is_injected(workload, role, container, "WORLD_SIZE")) return;
  const bool surely = are_together(workload, role, container, nodes.number);
  context
      .lint(nodes.at,
            "TAO takes `WORLD_SIZE` for the number of nodes: it is " +
                std::to_string(nodes.number) + ", and there are " + std::to_string(pods) + " pods",
            surely ? Severity::Error : Severity::Warning)
      .also(context.place(role.count), "how many pods");
}

/// With a number for `nprocPerNode` the operator makes `WORLD_SIZE` the number of processes.
void operator_counts_processes(const Workload& workload, const WorkloadRole& role, View container,
                               CheckContext& context) {
  const View field = get(workload.spec, "nprocPerNode");
  const std::int64_t processes = field ? plain_number(field->text).value_or(1) : 1;
  if (workload.kind != "PyTorchJob" || processes <= 1) return;
  const std::int64_t pods = workload.working_pods();
  if (pods < 2 || !is_injected(workload, role, container, "WORLD_SIZE")) return;
  context.lint(field,
               "TAO takes `WORLD_SIZE` for the number of nodes, and with this number the "
               "operator sets it to " +
                   std::to_string(pods * processes) + " on " + std::to_string(pods) + " pods");
}

/// TAO takes no more GPUs than there are; fewer it does.
void gpus_of_node(const Workload& workload, const WorkloadRole& role, View container,
                  CheckContext& context) {
  const ExplicitNumber wanted = number_in(container, "NUM_GPU_PER_NODE");
  const Devices devices = devices_of(get(container, "resources"));
  if (!wanted || wanted.number < 1 || devices.whole == 0 || devices.slices != 0) return;
  if (wanted.number == devices.whole || !role.pod.spec) return;
  const bool several = variable(container, "WORLD_SIZE") && workload.working_pods() > 1;
  if (!several || script_sets(container, "NUM_GPU_PER_NODE")) return;
  const std::string all = std::to_string(devices.whole) + (devices.whole == 1 ? " GPU" : " GPUs");
  const bool too_many = wanted.number > devices.whole;
  context
      .lint(wanted.at,
            too_many
                ? "`NUM_GPU_PER_NODE` is " + std::to_string(wanted.number) + ", and a pod has " +
                      all + ": TAO then goes on with one node, and each of " +
                      std::to_string(workload.working_pods()) + " pods trains alone"
                : "`NUM_GPU_PER_NODE` is " + std::to_string(wanted.number) + ", and leaves " +
                      std::to_string(devices.whole - wanted.number) + " of " + all +
                      " of each pod without work",
            too_many ? Severity::Error : Severity::Warning)
      .also(context.place(devices.at), "the GPUs");
}

/// `train.num_nodes=4` on the command line of TAO; the program gets it whatever variables say.
OptionValue override_of(View container, std::string_view name) {
  OptionValue found;
  const ShellWords words = command_words(container);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view key = words[i].text.substr(0, words[i].text.find('='));
    if (key.size() != words[i].text.size() && key.ends_with(name)) found = value_at(words, i);
  }
  return found;
}

void overrides(const Workload& workload, const WorkloadRole& role, View container,
               CheckContext& context) {
  const OptionValue nodes = override_of(container, ".num_nodes");
  const std::int64_t many = nodes.number().value_or(0);
  const std::int64_t pods = workload.working_pods();
  const bool is_other = many > 1 && pods > 1 && many != pods && many != role.pods;
  if (is_other && are_together(workload, role, container, many) &&
      many != completions(workload, role)) {
    context
        .lint(nodes.at, "TAO is to train on " + std::to_string(many) + " nodes, and there are " +
                            std::to_string(pods) + " pods")
        .also(context.place(role.count), "how many pods");
  }
  const OptionValue gpus = override_of(container, ".num_gpus");
  const std::int64_t wanted = gpus.number().value_or(0);
  const Devices devices = devices_of(get(container, "resources"));
  if (wanted <= devices.whole || devices.whole == 0 || devices.slices != 0) return;
  context
      .lint(gpus.at, "TAO is to use " + std::to_string(wanted) + " GPUs of a pod, which has " +
                         std::to_string(devices.whole))
      .also(context.place(devices.at), "the GPUs");
}

void master_port(const Workload& workload, const WorkloadRole& role, View container,
                 CheckContext& context) {
  constexpr std::int64_t kFirst = 1024;
  const ExplicitNumber port = number_in(container, "MASTER_PORT");
  const bool several = variable(container, "WORLD_SIZE") && workload.working_pods() > 1;
  if (!port || port.number >= kFirst || !several) return;
  if (is_injected(workload, role, container, "MASTER_PORT")) return;
  context.lint(port.at,
               "TAO takes no `MASTER_PORT` below 1024, and then goes on with one node: each of " +
                   std::to_string(workload.working_pods()) + " pods trains alone",
               Severity::Warning);
}

}  // namespace

bool runs_tao(View container) {
  constexpr auto others = std::to_array<std::string_view>({"-tf", "-deploy", "-data", "-api"});
  constexpr auto tasks =
      std::to_array<std::string_view>({"train", "evaluate", "inference", "distill"});
  const std::string_view image = string_at(container, "image");
  const std::string_view name = image.substr(0, image.rfind('@'));
  if (name.find("/tao/") == name.npos && name.find("tao-toolkit") == name.npos) return false;
  const bool is_other = std::ranges::any_of(
      others, [&](std::string_view part) { return name.find(part) != name.npos; });
  if (is_other || torchrun_call(container)) return false;
  return std::ranges::any_of(command_words(container), [&](const ShellWord& word) {
    return std::ranges::find(tasks, word.text) != tasks.end();
  });
}

void check_tao_nodes(const Workload& workload, CheckContext& context) {
  for (const WorkloadRole& role : workload.roles) {
    if (role.is_launcher) continue;
    for (View container : role.containers) {
      if (!runs_tao(container)) continue;
      const std::size_t before = context.findings();
      world_size_counts_nodes(workload, role, container, context);
      operator_counts_processes(workload, role, container, context);
      gpus_of_node(workload, role, container, context);
      master_port(workload, role, container, context);
      overrides(workload, role, container, context);
      if (context.findings() != before) return;
    }
  }
}

}  // namespace trainyard
