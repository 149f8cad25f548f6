// The file that `accelerate launch` reads, and options that it does not have.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "lints/core/known_values.h"
#include "lints/launch/file_text.h"
#include "lints/tables.h"
#include "manifest/embedded_yaml.h"
#include "manifest/mounted_files.h"
#include "shell/command_line.h"
#include "shell/launchers.h"
#include "shell/script_commands.h"
#include "source/word_table.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

// huggingface/accelerate src/accelerate/commands/config/config_args.py BaseConfig, ClusterConfig
constexpr auto kKeys = word_table<
    "compute_environment distributed_type mixed_precision use_cpu debug num_processes "
    "machine_rank num_machines gpu_ids main_process_ip main_process_port rdzv_backend "
    "same_network main_training_function enable_cpu_affinity fp8_config deepspeed_config "
    "fsdp_config parallelism_config megatron_lm_config ipex_config mpirun_config downcast_bf16 "
    "tpu_name tpu_zone tpu_use_cluster tpu_use_sudo command_file commands tpu_vm tpu_env "
    "dynamo_config dynamo_backend fp16 xpu_config zero_config">;

/// Options of torchrun and deepspeed for what accelerate calls otherwise.
struct ForeignOption {
  std::string_view name;
  std::string_view own;
};
constexpr auto kForeignOptions = std::to_array<ForeignOption>({
    {"nproc-per-node", "--num_processes"},
    {"gpus-per-node", "--num_processes"},
    {"num-gpus", "--num_processes"},
    {"nnodes", "--num_machines"},
    {"num-nodes", "--num_machines"},
    {"node-rank", "--machine_rank"},
    {"master-addr", "--main_process_ip"},
    {"master-port", "--main_process_port"},
    {"hostfile", "--deepspeed_hostfile"},
});

void check_options(const LauncherCall& call, CheckContext& context) {
  for (const auto& [name, value] : call.options) {
    const auto foreign = std::ranges::find(kForeignOptions, name, &ForeignOption::name);
    if (foreign == kForeignOptions.end()) continue;
    context.lint(value ? value.at : call.at, "`accelerate launch` has no option " +
                                                 shown("--" + name) + "; expected " +
                                                 shown(foreign->own));
  }
}

/// huggingface/accelerate src/accelerate/utils/dataclasses.py DistributedType
void sort_of_launch(const TextYaml& file, CheckContext& context) {
  constexpr auto known = std::to_array<std::string_view>(
      {"NO", "MULTI_CPU", "MULTI_GPU", "MULTI_NPU", "MULTI_MLU", "MULTI_SDAA", "MULTI_MUSA",
       "MULTI_XPU", "MULTI_HPU", "MULTI_NEURON", "DEEPSPEED", "FSDP", "TP", "XLA", "TPU",
       "MEGATRON_LM", "DATA_PARALLEL", "MODEL_PARALLEL"});
  const View sort = get(file.root(), "distributed_type");
  if (string_of(sort).empty() || std::ranges::find(known, sort->text) != known.end()) return;
  if (sort->text.find_first_of("{$") != std::string_view::npos) return;
  context.lint(file.place(sort), "accelerate has no `distributed_type` " + shown(sort->text));
}

void check_keys(const TextYaml& file, CheckContext& context) {
  sort_of_launch(file, context);
  for (View entry : Items(file.root())) {
    const std::string_view meant = closest_known_value(entry.key(), kKeys);
    if (meant.empty()) continue;
    context.lint(file.place(entry), "accelerate ends at the unknown key " + shown(entry.key()) +
                                        "; did you mean " + shown(meant) + "?");
  }
}

/// Whether a host is a pod's name alone, which another pod can only ask for behind its Service.
bool is_bare_pod(std::string_view host, View object, View pod_spec) {
  const std::string_view name = string_at(get(object, "metadata"), "name");
  const bool has_domain =
      !string_at(pod_spec, "subdomain").empty() || string_at(object, "kind") == "StatefulSet";
  return has_domain && !name.empty() && host.starts_with(name) && host.size() > name.size() + 1 &&
         host[name.size()] == '-' && plain_number(host.substr(name.size() + 1)).has_value();
}

void check_values(const TextYaml& file, const Workload& workload, const WorkloadRole& role,
                  CheckContext& context) {
  const View root = file.root();
  const View place = get(root, "compute_environment");
  const std::string_view word = string_of(place);
  if (!word.empty() && word != "LOCAL_MACHINE" && word != "AMAZON_SAGEMAKER") {
    context.lint(file.place(place), "accelerate knows no `compute_environment` " + shown(word) +
                                        "; expected `LOCAL_MACHINE`");
  }
  const View port = get(root, "main_process_port");
  if (const auto number = integer_of(port); number && (*number < 0 || *number > 65535)) {
    context.lint(file.place(port), "there is no port " + std::to_string(*number));
  }
  const View host = get(root, "main_process_ip");
  const bool by_several = integer_at(root, "num_machines").value_or(1) > 1;
  if (by_several && is_bare_pod(string_of(host), workload.object, role.pod.spec)) {
    context.lint(file.place(host), "no other pod finds " + shown(host->text) +
                                       " by its name alone; expected " +
                                       shown(std::string(host->text) + ".SERVICE"));
  }
}

/// Settings of DeepSpeed that the file names, in a volume that does not have them.
void check_deepspeed_file(const TextYaml& file, const WorkloadRole& role, View container,
                          CheckContext& context) {
  const View name = get(get(file.root(), "deepspeed_config"), "deepspeed_config_file");
  const std::string_view path = string_of(name);
  const auto mounted = role.pod.spec ? mounted_path(role.pod, container, path) : std::nullopt;
  if (!mounted || !get(mounted->volume, "configMap") || mounted->below.empty()) return;
  const View source = get(mounted->volume, "configMap");
  const Inventory* inventory = has_items(get(source, "items")) ? nullptr : context.inventory();
  if (inventory == nullptr) return;
  const auto maps = config_maps_of(*inventory, context.object(), string_at(source, "name"));
  const bool is_there = std::ranges::any_of(maps, [&](View map) {
    return get(get(map, "data"), mounted->below) || get(get(map, "binaryData"), mounted->below);
  });
  if (maps.empty() || is_there) return;
  context
      .lint(file.place(name),
            "there is no file " + shown(path) + " in ConfigMap " + shown(string_at(source, "name")))
      .also(context.place(get(mounted->mount, "mountPath")), "mounted here");
}

/// deepspeedai/DeepSpeed deepspeed/runtime/config.py _batch_assertion
void check_batch(const TextYaml& file, const FileText& text_of, CheckContext& context) {
  const View name = get(get(file.root(), "deepspeed_config"), "deepspeed_config_file");
  const TextYaml settings(text_of(string_of(name)));
  const View root = settings.root();
  const auto ranks = integer_at(file.root(), "num_processes");
  const View whole = get(root, "train_batch_size");
  const auto all = integer_of(whole);
  const auto micro = integer_at(root, "train_micro_batch_size_per_gpu");
  const auto steps = integer_at(root, "gradient_accumulation_steps");
  if (!ranks || !all || !micro || !steps || get(root, "tensor_parallel") ||
      get(root, "sequence_parallel_size") || get(root, "elasticity") || get(root, "pipeline")) {
    return;
  }
  constexpr std::int64_t kMost = 1'000'000;
  if (*ranks < 1 || *micro < 1 || *steps < 1) return;
  if (std::max({*ranks, *micro, *steps}) > kMost || *micro * *steps > kMost) return;
  const std::int64_t product = *micro * *steps * *ranks;
  if (*all == product) return;
  context
      .lint(settings.place(whole), "`train_batch_size` is " + std::to_string(*all) + ", and " +
                                       std::to_string(*ranks) + " processes with " +
                                       std::to_string(*micro) + " each, " + std::to_string(*steps) +
                                       " times, make " + std::to_string(product))
      .also(context.place(file.place(get(file.root(), "num_processes"))), "the processes");
}

void accelerate_settings(const Workload& workload, CheckContext& context) {
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      const auto call = accelerate_call(container);
      if (!call) continue;
      check_options(*call, context);
      const OptionValue& path = call->option("config-file");
      if (!path) continue;
      const FileText text_of = file_text(role, container, context);
      const TextYaml file(text_of(path.text));
      if (!file.root() || !file.root()->is_map()) continue;
      check_keys(file, context);
      check_values(file, workload, role, context);
      check_deepspeed_file(file, role, container, context);
      if (!call->option("num-processes")) check_batch(file, text_of, context);
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "accelerate-settings",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "accelerate has the options that it is given, and can read its file.",
     .source = "huggingface/accelerate src/accelerate/commands/config/config_args.py "
               "load_config_from_file, src/accelerate/commands/launch.py; "
               "deepspeedai/DeepSpeed deepspeed/runtime/config.py",
     .workload = accelerate_settings,
     .severity = Severity::Warning,
     .because = "accelerate ends with an error before it starts any process, or its processes do "
                "not find each other.",
     .fix = "write what `accelerate launch --help` and `accelerate config` have"},
};

}  // namespace

const std::span<const Check> accelerate_setting_lints = kChecks;

}  // namespace trainyard
