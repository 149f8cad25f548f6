#include "lints/launch/launch_sizes.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "diag/words.h"
#include "lints/launch/file_text.h"
#include "manifest/embedded_yaml.h"
#include "manifest/launch.h"
#include "manifest/launches.h"
#include "shell/command_line.h"
#include "shell/launchers.h"
#include "shell/script_commands.h"
#include "source/word_table.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// A number small enough for products; no job has more of anything.
std::optional<std::int64_t> sensible(std::optional<std::int64_t> number) {
  constexpr std::int64_t kMost = 1'000'000;
  return number && *number >= 1 && *number <= kMost ? number : std::nullopt;
}

std::string times(std::int64_t number, std::string_view one) {
  return std::to_string(number) + " " + std::string(one) + (number == 1 ? "" : "s");
}

/// What `accelerate launch` goes by: the command line before the file.
class AccelerateNumbers {
 public:
  AccelerateNumbers(const LauncherCall& call, View file) : call_(call), file_(file) {}

  bool is_of_file(std::string_view option, std::string_view key) const {
    return !call_.option(option) && get(file_, key);
  }
  std::optional<std::int64_t> number(std::string_view option, std::string_view key) const {
    const OptionValue& own = call_.option(option);
    return sensible(own ? own.number() : integer_at(file_, key));
  }

 private:
  const LauncherCall& call_;
  View file_;
};

void accelerate_in(const Workload& workload, const WorkloadRole& role, View container,
                   CheckContext& context) {
  const auto call = accelerate_call(container);
  const OptionValue path = call ? call->option("config-file") : OptionValue();
  if (!path) return;
  const View text = file_text(role, container, context)(path.text);
  const TextYaml file(text);
  if (!file.root()) return;
  const AccelerateNumbers numbers(*call, file.root());
  const std::int64_t pods = workload.working_pods();
  const auto machines = numbers.number("num-machines", "num_machines");
  const auto say = [&](std::string message, Severity severity) {
    context.lint(path.at, std::move(message), severity).also(context.place(text), "the file");
  };
  const bool counts = numbers.is_of_file("num-machines", "num_machines");
  // With a rank of its own each machine may be a Job.
  const bool is_one_of_several = pods == 1 && call->option("machine-rank");
  if (counts && machines && *machines > pods && !is_one_of_several) {
    say("the file has `num_machines: " + std::to_string(*machines) + "`, and there " +
            (pods == 1 ? "is" : "are") + " only " + times(pods, "pod"),
        Severity::Error);
    return;
  }
  if (counts && machines && *machines < pods && is_training_kind(workload)) {
    say("the file has `num_machines: " + std::to_string(*machines) + "`, and there are " +
            times(pods, "pod"),
        Severity::Warning);
    return;
  }
  const std::string_view backend = string_at(file.root(), "rdzv_backend");
  const bool by_order =
      !call->option("rdzv-backend").text.empty() || (!backend.empty() && backend != "static");
  if (machines && *machines > 1 && role.pods > 1 && !by_order && !call->option("machine-rank") &&
      get(file.root(), "machine_rank")) {
    say("all " + times(role.pods, "pod") +
            " take `machine_rank: " + std::string(get(file.root(), "machine_rank")->text) +
            "` from the file; expected `--machine_rank` with the index of the pod",
        Severity::Error);
    return;
  }
  if (call->option("num-machines") && !machines) return;  // as many as a variable says
  const Devices devices = devices_of(get(container, "resources"));
  const auto processes = numbers.number("num-processes", "num_processes");
  if (!numbers.is_of_file("num-processes", "num_processes") || devices.whole == 0 ||
      devices.slices != 0 || !processes || *processes <= 1) {
    return;
  }
  const std::int64_t all = machines.value_or(1) * devices.whole;
  if (*processes == all) return;
  say("the file has `num_processes: " + std::to_string(*processes) + "`, and " +
          times(machines.value_or(1), "machine") + " with " + times(devices.whole, "GPU") +
          (machines.value_or(1) == 1 ? "" : " each") + " have " + std::to_string(all) +
          "; it counts the processes of all machines",
      *processes > all ? Severity::Error : Severity::Warning);
}

/// Whether torchrun may go on with fewer or more nodes.
bool is_elastic(const Workload& workload, const LauncherCall& call, View container) {
  const OptionValue& option = call.option("nnodes");
  const View variable = option ? View() : variable_value(container, "PET_NNODES");
  const std::string_view nodes = option ? std::string_view(option.text) : string_of(variable);
  return nodes.find(':') != nodes.npos || get(workload.spec, "elasticPolicy");
}

/// The words of the command that starts the ranks; other commands of a script have options of
/// their own.
ShellWords words_of_launch(View container) {
  const ShellWords all = command_words(container);
  const auto starts = [](const ShellWord& word) {
    const std::string_view name = program_name(word.text);
    return name == "torchrun" || name == "torch.distributed.run" || name == "mpirun" ||
           name == "mpiexec";
  };
  const auto first = std::ranges::find_if(all, starts);
  const auto end = std::ranges::find(first, all.end(), "\n", &ShellWord::text);
  return {std::span(first, end), all.kept};
}

/// The number of ranks of a job whose pods all start as many; nothing where it is not known.
std::optional<std::int64_t> ranks_of(const Workload& workload, const WorkloadRole& role,
                                     View container) {
  if (const Launch launch = mpi_launch_in(container); launch && role.is_launcher) {
    return sensible(launch.ranks.number());
  }
  const auto call = torchrun_call(container);
  if (!call || role.is_launcher) return std::nullopt;
  const auto each = sensible(processes_per_pod(workload, container).number);
  if (!each || is_elastic(workload, *call, container)) return std::nullopt;
  if (call->option("standalone")) return each;
  const ExplicitNumber stated = explicit_node_count(container);
  const bool all_pods = is_training_kind(workload) && workload.roles.size() < 3;
  if (!stated && !all_pods) return std::nullopt;
  const auto nodes = sensible(stated ? stated.number : workload.working_pods());
  return nodes ? sensible(*nodes * *each) : std::nullopt;
}

/// The value of an option of the program itself, with where it stands.
OptionValue program_option(std::span<const ShellWord> words, std::string_view name) {
  OptionValue found;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool is_it = words[i].text.starts_with("--") && kebab_name(words[i].text) == name;
    if (is_it) found = value_at(words, i);
  }
  return found;
}

/// What of Megatron's model a parallel group parts, and the size of the group.
struct Shared {
  std::string_view amount;
  std::string_view size;
  std::string_view what;
};
constexpr Shared kShared[] = {
    {"num-attention-heads", "tensor-model-parallel-size", "attention heads"},
    {"num-layers", "pipeline-model-parallel-size", "layers"},
    {"num-experts", "expert-model-parallel-size", "experts"},
};

/// Options by which the stages of a pipeline need not have as many layers each.
constexpr auto kUnequalStages = word_table<
    "encoder- decoder- account-for- pipeline-model-parallel-layout num-layers-per-virtual "
    "num-virtual-stages standalone-embedding hybrid-">;
bool has_own_layout(std::span<const ShellWord> words) {
  return std::ranges::any_of(words, [](const ShellWord& word) {
    const std::string name = kebab_name(word.text);
    return word.text.starts_with("--") &&
           std::ranges::any_of(kUnequalStages, [&](std::string_view beginning) {
             return name.starts_with(beginning);
           });
  });
}

/// NVIDIA/Megatron-LM megatron/training/arguments.py validate_args and
/// megatron/core/transformer/transformer_config.py
bool megatron_model(std::span<const ShellWord> words, CheckContext& context) {
  for (const Shared& each : kShared) {
    const OptionValue amount = program_option(words, each.amount);
    const auto all = sensible(amount.number());
    const auto size = sensible(program_option(words, each.size).number());
    if (!all || !size || *all % *size == 0) continue;
    if (each.amount == "num-layers" && has_own_layout(words)) continue;
    context.lint(amount.at, std::to_string(*all) + " " + std::string(each.what) +
                                " cannot be parted evenly: `--" + std::string(each.size) + "` is " +
                                std::to_string(*size));
    return true;
  }
  const OptionValue hidden = program_option(words, "hidden-size");
  const auto width = sensible(hidden.number());
  const auto heads = sensible(program_option(words, "num-attention-heads").number());
  if (width && heads && *width % *heads != 0 && !program_option(words, "kv-channels")) {
    context.lint(hidden.at, "a hidden size of " + std::to_string(*width) +
                                " cannot be parted evenly: `--num-attention-heads` is " +
                                std::to_string(*heads));
    return true;
  }
  const OptionValue positions = program_option(words, "max-position-embeddings");
  const auto most = sensible(positions.number());
  const auto length = sensible(program_option(words, "seq-length").number());
  if (!most || !length || *most >= *length) return false;
  context.lint(positions.at, "sequences of " + std::to_string(*length) + " are longer than the " +
                                 std::to_string(*most) + " positions of the model");
  return true;
}

/// NVIDIA/Megatron-LM megatron/training/arguments.py validate_args and
/// megatron/core/num_microbatches_calculator.py
void megatron(std::span<const ShellWord> words, std::int64_t ranks, CheckContext& context) {
  const OptionValue tensor = program_option(words, "tensor-model-parallel-size");
  const OptionValue pipeline = program_option(words, "pipeline-model-parallel-size");
  if ((!tensor && !pipeline) || megatron_model(words, context)) return;
  std::int64_t model = 1;
  std::string product;
  for (std::string_view name :
       {"tensor-model-parallel-size", "pipeline-model-parallel-size", "context-parallel-size"}) {
    const OptionValue option = program_option(words, name);
    if (!option) continue;
    const auto size = sensible(option.number());
    if (!size) return;
    model *= *size;
    product += (product.empty() ? "" : " x ") + std::to_string(*size);
  }
  const bool has_encoder = std::ranges::any_of(words, [](const ShellWord& word) {
    return word.text.starts_with("--encoder-") || word.text.starts_with("--rampup-batch-size") ||
           word.text.starts_with("--decrease-batch-size");
  });
  if (has_encoder) return;
  const WordView at = (pipeline ? pipeline : tensor).at;
  if (ranks % model != 0) {
    context.lint(at, "one model takes " + product +
                         (product.find('x') == std::string::npos ? std::string()
                                                                 : " = " + std::to_string(model)) +
                         " ranks, and the " + std::to_string(ranks) +
                         " of this job cannot be parted so");
    return;
  }
  if (megatron_model(words, context)) return;
  const OptionValue global = program_option(words, "global-batch-size");
  const auto all = sensible(global.number());
  const auto micro = sensible(program_option(words, "micro-batch-size").number());
  const std::int64_t models = ranks / model;
  if (!all || !micro || *all % (*micro * models) == 0) return;
  context.lint(global.at, "a batch of " + std::to_string(*all) +
                              " cannot be parted in micro batches of " + std::to_string(*micro) +
                              " for " + std::to_string(models) + " models side by side");
}

/// An override for Hydra: `trainer.devices=8`, also with `+` or `++` in front.
OptionValue hydra_option(std::span<const ShellWord> words, std::string_view name) {
  OptionValue found;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view key = words[i].text.substr(0, words[i].text.find('='));
    const bool is_it = key.size() < words[i].text.size() && key.ends_with(name) &&
                       key.find_first_not_of('+') == key.size() - name.size();
    if (is_it) found = value_at(words, i);
  }
  return found;
}

/// Lightning-AI/pytorch-lightning src/lightning/fabric/plugins/environments/torchelastic.py
/// validate_settings
void lightning(std::span<const ShellWord> words, std::int64_t ranks, CheckContext& context) {
  const OptionValue devices = hydra_option(words, "trainer.devices");
  const auto each = sensible(devices.number());
  const auto nodes = sensible(hydra_option(words, "trainer.num_nodes").number());
  if (!each || !nodes || *each * *nodes == ranks) return;
  context.lint(devices.at, "Lightning is set to use " + times(*nodes, "node") + " with " +
                               times(*each, "device") + " each, and torchrun starts " +
                               times(ranks, "rank"));
}

/// deepspeedai/DeepSpeed deepspeed/runtime/config.py _batch_assertion
void deepspeed(const WorkloadRole& role, View container, std::span<const ShellWord> words,
               std::int64_t ranks, CheckContext& context) {
  for (std::string_view name : {"deepspeed", "deepspeed-config", "ds-config"}) {
    const OptionValue path = program_option(words, name);
    if (!path.text.starts_with('/')) continue;
    const View text = file_text(role, container, context)(path.text);
    const TextYaml file(text);
    if (!file.root()) continue;
    const View root = file.root();
    if (program_option(words, "tensor-model-parallel-size") || get(root, "tensor_parallel") ||
        get(root, "sequence_parallel_size") || get(root, "elasticity") || get(root, "pipeline")) {
      return;
    }
    const auto all = sensible(integer_at(root, "train_batch_size"));
    const auto micro = sensible(integer_at(root, "train_micro_batch_size_per_gpu"));
    const View steps_at = get(root, "gradient_accumulation_steps");
    const auto steps = sensible(integer_of(steps_at));
    if (!all || !micro || (steps_at && !steps)) return;
    // The program may lay stages of its model on several ranks, which then count as one.
    const std::int64_t of_one = *micro * steps.value_or(1);
    const bool is_whole = *all % of_one == 0;
    if (is_whole && (!steps || ranks % (*all / of_one) == 0)) return;
    const std::int64_t at_once = of_one * ranks;
    context
        .lint(path.at, "`train_batch_size` is " + std::to_string(*all) + ", and " +
                           std::to_string(ranks) + " ranks with " + std::to_string(*micro) +
                           " each" + (steps ? ", " + times(*steps, "time") : "") + ", make " +
                           std::to_string(at_once))
        .also(context.place(text), "the file");
    return;
  }
}

/// Most containers say nothing of sizes, which is seen without taking their texts apart.
bool may_state_sizes(View container) {
  return any_argument(container, [](View argument) {
    const std::string_view text = argument->text;
    return std::ranges::any_of(
        std::to_array<std::string_view>(
            {"parallel-size", "parallel_size", "deepspeed", "ds_config", "trainer.devices"}),
        [text](std::string_view part) { return text.find(part) != text.npos; });
  });
}

}  // namespace

void check_accelerate_file(const Workload& workload, CheckContext& context) {
  for (const WorkloadRole& role : workload.roles) {
    if (role.is_launcher) continue;
    for (View container : role.containers) accelerate_in(workload, role, container, context);
  }
}

void check_parallel_sizes(const Workload& workload, CheckContext& context) {
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      if (!may_state_sizes(container)) continue;
      const auto ranks = ranks_of(workload, role, container);
      if (!ranks || *ranks < 1) continue;
      const ShellWords words = words_of_launch(container);
      const std::size_t before = context.findings();
      megatron(words, *ranks, context);
      deepspeed(role, container, words, *ranks, context);
      if (torchrun_call(container)) lightning(words, *ranks, context);
      if (context.findings() != before) return;
    }
  }
}

}  // namespace trainyard
