#include <algorithm>

#include "effective/trainer_fold.h"
#include "source/characters.h"

namespace trainyard {
namespace {

/// Whether one of the arguments sets an option. Until 2.1 any value did, `False` too.
bool sets(TrainJobMerge& fold, std::string_view option, bool any_value) {
  for (View each : items_at(fold.trainer(), "args")) {
    const std::string_view text = each->text;
    if (text.find(option) == std::string_view::npos) continue;
    if (any_value || fold.minor <= 1) return true;
    if (lower_case(text.substr(std::min(text.find('='), text.size()))) == "=true") return true;
  }
  return false;
}

/// `torchtune-llama3.2-1b` is the runtime of the model `llama3_2/1B`.
std::string model_of(std::string_view runtime) {
  std::vector<std::string> parts(1);
  for (char c : runtime) {
    if (c == '-') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  if (parts.size() != 3) return {};
  std::string model;
  for (char c : parts[1]) model += c == '.' ? '_' : c;
  model += '/';
  for (char c : parts[2]) model += to_upper(c);
  return model;
}

/// Words of the runtime's command that a TrainJob must not replace.
bool is_kept(std::string_view word) {
  constexpr std::string_view kKept[] = {"output_dir", "tokenizer.path",
                                        "checkpointer.checkpoint_dir", "tokenizer.merges_file"};
  const std::string_view key = word.substr(0, word.find('='));
  return std::ranges::find(kKept, key) != std::end(kKept);
}

}  // namespace

std::vector<std::string> torchtune_arguments(TrainJobMerge& fold, std::int64_t nodes,
                                             const std::string& processes) {
  const bool qlora =
      sets(fold, "model.quantize_base", false) && !sets(fold, "model.use_dora", false);
  const bool lora = sets(fold, "model.lora_attn_modules", true);
  const std::int64_t gpus = fold.gpus_per_node();
  std::string recipe = "full_finetune_distributed";
  std::string suffix = "_full";
  if (nodes == 1 && (processes == "1" || gpus == 1)) {
    recipe = qlora || lora ? "lora_finetune_single_device" : "full_finetune_single_device";
    suffix = qlora ? "_qlora_single_device" : lora ? "_lora_single_device" : "_full_single_device";
  } else if (nodes == 1 && (qlora || lora)) {
    recipe = "lora_finetune_distributed";
    suffix = qlora ? "_qlora" : "_lora";
  } else if (nodes > 1) {
    suffix = "_full_multinode";
  }

  std::vector<std::string> arguments;
  const bool several = is_number(processes) ? processes != "1" && processes != "0" : gpus > 1;
  if (nodes > 1 || several) {
    arguments.push_back("--rdzv_endpoint=" + fold.first_node() + ":" +
                        std::to_string(kTrainerPort));
  }
  const std::string model = model_of(string_at(get(fold.spec(), "runtimeRef"), "name"));
  arguments.insert(arguments.end(), {recipe, "--config", model + suffix});
  const View container = fold.maker.view(fold.trainer_container());
  for (View each : items_at(container, "command")) {
    if (is_kept(each->text)) arguments.emplace_back(each->text);
  }
  return arguments;
}

}  // namespace trainyard
