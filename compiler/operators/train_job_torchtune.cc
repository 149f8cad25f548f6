// What Trainer refuses when a TrainJob runs torchtune: the recipe follows from the name of the
// runtime, the number of nodes and processes, and the arguments.
//
// kubeflow/trainer pkg/runtime/framework/plugins/torch/torchtune.go

#include <algorithm>
#include <array>
#include <string>

#include "check/check.h"
#include "diag/words.h"
#include "operators/tables.h"
#include "operators/train_job_runtime.h"
#include "source/characters.h"
#include "source/text_parts.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// `llama3_2/1B` of runtime `torchtune-llama3.2-1b`; "" of a name with other than three parts.
std::string model_of(std::string_view runtime) {
  if (std::ranges::count(runtime, '-') != 2) return {};
  const std::size_t first = runtime.find('-');
  const std::size_t last = runtime.rfind('-');
  std::string model;
  for (char c : runtime.substr(first + 1, last - first - 1)) model += c == '.' ? '_' : c;
  model += '/';
  for (char c : runtime.substr(last + 1)) model += to_upper(c);
  return model;
}

/// An argument `key=value` with `part` in its key is set to true.
bool is_on(View args, std::string_view part) {
  for (View arg : Items(args)) {
    const std::string_view text = string_of(arg);
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || !contains(text.substr(0, equals), part)) continue;
    std::string value;
    for (char c : text.substr(equals + 1)) {
      if (c != ' ' && c != '\t') value += to_lower(c);
    }
    if (value == "true") return true;
  }
  return false;
}

/// GPUs among the resources of a node; 0 when there are none.
std::int64_t gpus_of(View resources) {
  for (std::string_view kind : {"requests", "limits"}) {
    for (View amount : entries_at(resources, kind)) {
      const std::string name = lower_case(amount.key());
      const auto quantity = Quantity::parse(amount->text);
      const std::int64_t units = quantity ? quantity->whole_units().value_or(0) : 0;
      if (contains(name, "gpu") && units != 0) return units;
    }
  }
  return 0;
}

std::int64_t gpus_per_node(const TrainJob& job) {
  if (const View own = get(job.trainer, "resourcesPerNode")) return gpus_of(own);
  const View node = container_of(pod_spec_of(step(job.template_spec, "trainer")), "node");
  return gpus_of(get(node, "resources"));
}

/// The TrainJob when it runs torchtune with a runtime for PyTorch.
bool runs_torchtune(const TrainJob& job) {
  if (ml_policy(job) != MlPolicy::Torch) return false;
  const View command = get(job.trainer, "command");
  if (!command || !command->is_seq() || command->size != 2) return false;
  auto word = Items(command).begin();
  if (string_of(*word) != "tune") return false;
  return string_of(*++word) == "run";
}

struct Tuning {
  std::string model;
  std::int64_t nodes = 1;
  bool single_device = false;
  bool lora = false;
  bool qlora = false;
};

Tuning tuning_of(const TrainJob& job) {
  Tuning tuning;
  tuning.model = model_of(string_at(get(get(job.object, "spec"), "runtimeRef"), "name"));
  tuning.nodes = integer_at(job.trainer, "numNodes").value_or(1);
  const View args = get(job.trainer, "args");
  const bool list = args && args->is_seq();
  for (View arg : list ? Items(args) : Items()) {
    tuning.lora = tuning.lora || contains(string_of(arg), "model.lora_attn_modules");
  }
  tuning.qlora = list && !is_on(args, "model.use_dora") && is_on(args, "model.quantize_base");
  tuning.single_device = tuning.nodes == 1 && (integer_at(job.trainer, "numProcPerNode") == 1 ||
                                               gpus_per_node(job) == 1);
  return tuning;
}

void model(const TrainJob& job, const Tuning& tuning, CheckContext& context) {
  constexpr auto models = std::to_array<std::string_view>(
      {"llama3_2/1B", "llama3_2/3B", "llama3_3/70B", "qwen2_5/1.5B"});
  const View runtime = get(get(get(job.object, "spec"), "runtimeRef"), "name");
  if (std::ranges::find(models, tuning.model) == models.end()) {
    context
        .refuse(runtime, "Trainer reads the model for torchtune off the name of the runtime, and " +
                             shown(string_of(runtime)) + " names none that it knows")
        .note(
            "it knows `torchtune-llama3.2-1b`, `torchtune-llama3.2-3b`, "
            "`torchtune-llama3.3-70b` and `torchtune-qwen2.5-1.5b`");
    return;
  }
  const View nodes = get(job.trainer, "numNodes");
  if (tuning.nodes > 1 && tuning.model != "llama3_3/70B") {
    context.refuse(nodes, "`numNodes` must be 1 for model " + shown(tuning.model));
  } else if (tuning.nodes > 1 && (tuning.lora || tuning.qlora) &&
             context.versions().within({.name = "trainer", .since = "2.3"})) {
    context.refuse(nodes, "LoRA needs `numNodes` 1: torchtune has no recipe for several nodes");
  }
}

void qlora(const TrainJob& job, const Tuning& tuning, CheckContext& context) {
  if (!tuning.qlora || tuning.nodes != 1) return;
  const View args = get(job.trainer, "args");
  if (tuning.model == "qwen2_5/1.5B") {
    context.refuse(args, "torchtune has no QLoRA for model `qwen2_5/1.5B`");
  } else if (!tuning.single_device && tuning.model.starts_with("llama3_2/")) {
    const View processes = get(job.trainer, "numProcPerNode");
    context
        .refuse(processes ? processes : args,
                "QLoRA of model " + shown(tuning.model) + " runs on one GPU only")
        .note("set `numProcPerNode: 1`, or one GPU in `resourcesPerNode`");
  }
}

void recipe(View object, CheckContext& context) {
  const TrainJob job = train_job(object, context);
  if (!runs_torchtune(job)) return;
  const Tuning tuning = tuning_of(job);
  model(job, tuning, context);
  if (context.versions().within({.name = "trainer", .since = "2.1"})) qlora(job, tuning, context);
}

void own_settings(View object, CheckContext& context) {
  constexpr auto own = std::to_array<std::string_view>(
      {"output_dir", "tokenizer.path", "checkpointer.checkpoint_dir", "tokenizer.merges_file"});
  const TrainJob job = train_job(object, context);
  if (!runs_torchtune(job)) return;
  for (View arg : items_at(job.trainer, "args")) {
    const std::string_view text = string_of(arg);
    const std::string_view key = text.substr(0, text.find('='));
    if (std::ranges::find(own, key) == own.end()) continue;
    context.refuse(arg, "the runtime sets " + shown(key) + ": leave it out of the arguments");
  }
}

constexpr std::string_view kOn = "trainer.kubeflow.org TrainJob";
constexpr std::string_view kSource =
    "kubeflow/trainer pkg/runtime/framework/plugins/torch/torchtune.go validateTorchTune";

constexpr Check kChecks[] = {
    {.name = "train-job-torchtune-model",
     .group = CheckGroup::Training,
     .on = kOn,
     .sentence = "torchtune has a recipe for the model, QLoRA, and the number of nodes and GPUs.",
     .source = kSource,
     .object = recipe,
     .operators = {.name = "trainer"}},
    {.name = "train-job-torchtune-settings",
     .group = CheckGroup::Training,
     .on = kOn,
     .sentence = "Arguments of torchtune leave to the runtime what it sets.",
     .source = kSource,
     .object = own_settings,
     .operators = {.name = "trainer", .since = "2.3"}},
};

}  // namespace

constinit const std::span<const Check> torchtune_checks = kChecks;

}  // namespace trainyard
