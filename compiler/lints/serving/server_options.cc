// Options of vLLM and SGLang, and words of the script that starts Ray for vLLM, which these refuse.

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include "check/check.h"
#include "check/typos.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/devices.h"
#include "shell/command_line.h"
#include "shell/script_commands.h"
#include "source/word_table.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// A value that people write for another one; "" as `meant` where there is none.
struct WrongValue {
  std::string_view option;
  std::string_view value;
  std::string_view meant;
};

// vllm-project/vllm vllm/config: ModelDType, CacheDType, QuantizationMethods
constexpr auto kWrongOfVllm = std::to_array<WrongValue>({
    {"--dtype", "bf16", "bfloat16"},
    {"--dtype", "fp16", "float16"},
    {"--dtype", "fp32", "float32"},
    {"--dtype", "fp8", "--quantization fp8"},
    {"--dtype", "int8", ""},
    {"--dtype", "int4", ""},
    {"--kv-cache-dtype", "bf16", "auto"},
    {"--kv-cache-dtype", "fp16", "auto"},
    {"--kv-cache-dtype", "int8", "fp8"},
    {"--quantization", "int4", ""},
    {"--quantization", "int8", ""},
    {"--quantization", "4bit", "bitsandbytes"},
    {"--quantization", "8bit", "bitsandbytes"},
    {"--quantization", "bnb", "bitsandbytes"},
    {"--quantization", "nf4", "bitsandbytes"},
    {"--quantization", "w4a16", "compressed-tensors"},
    {"--quantization", "w8a8", "compressed-tensors"},
});

// vllm-project/vllm vllm/engine/arg_utils.py
constexpr auto kOptionsOfVllm = word_table<
    "--tensor-parallel-size --pipeline-parallel-size --data-parallel-size "
    "--data-parallel-address --data-parallel-rpc-port --data-parallel-size-local --max-model-len "
    "--gpu-memory-utilization --served-model-name --trust-remote-code --enforce-eager "
    "--max-num-seqs --max-num-batched-tokens --enable-prefix-caching --enable-chunked-prefill "
    "--kv-cache-dtype --quantization --distributed-executor-backend --download-dir "
    "--chat-template --load-format --swap-space --block-size --enable-lora --max-lora-rank "
    "--max-loras --enable-expert-parallel --kv-transfer-config --reasoning-parser "
    "--tool-call-parser --enable-auto-tool-choice --speculative-config --compilation-config "
    "--limit-mm-per-prompt --hf-overrides">;

// sgl-project/sglang python/sglang/srt/server_args.py
constexpr auto kOptionsOfSglang = word_table<
    "--model-path --tokenizer-path --tensor-parallel-size --pipeline-parallel-size "
    "--data-parallel-size --expert-parallel-size --dist-init-addr --node-rank "
    "--trust-remote-code --mem-fraction-static --context-length --enable-dp-attention "
    "--max-running-requests --served-model-name --quantization --kv-cache-dtype "
    "--disaggregation-mode --disaggregation-ib-device --chunked-prefill-size --cuda-graph-max-bs "
    "--attention-backend --enable-metrics --disable-radix-cache --disable-cuda-graph "
    "--enable-torch-compile --watchdog-timeout --max-total-tokens --max-prefill-tokens "
    "--schedule-policy --moe-a2a-backend --ep-num-redundant-experts --dist-timeout "
    "--load-balance-method --deepep-mode --enable-dp-lm-head --moe-dense-tp-size --page-size">;

std::string kebab_option(std::string_view word) {
  std::string option(word.substr(0, word.find('=')));
  std::ranges::replace(option, '_', '-');
  return option;
}

/// Both take the beginning of an option for the whole one, as argparse does.
void misspelt_option(const ShellWord& word, std::string_view program,
                     std::span<const std::string_view> known, CheckContext& context) {
  const std::string option = kebab_option(word.text);
  constexpr std::size_t kShortest = 9;
  if (!option.starts_with("--") || option.size() < kShortest) return;
  std::string_view near;
  for (std::string_view each : known) {
    if (each.starts_with(option)) return;
    if (is_typo_of(option, each)) near = each;
  }
  if (near.empty()) return;
  context.lint(word.at, std::string(program) + " has no option " + shown(option) +
                            "; did you mean " + shown(near) + "?");
}

/// sgl-project/sglang server_args.py: plain argparse, which takes no `_` for `-`.
void underscored_option(const ShellWord& word, CheckContext& context) {
  const std::string_view written = word.text.substr(0, word.text.find('='));
  const std::string option = kebab_option(word.text);
  const bool is_known = std::ranges::find(kOptionsOfSglang, std::string_view(option)) !=
                        std::ranges::end(kOptionsOfSglang);
  if (!is_known || written == option) return;
  context.lint(word.at,
               "SGLang has no option " + shown(written) + "; did you mean " + shown(option) + "?");
}

void wrong_value(const ShellWords& words, std::size_t i, CheckContext& context) {
  const std::string option = kebab_option(words[i].text);
  const bool is_asked =
      std::ranges::find(kWrongOfVllm, option, &WrongValue::option) != kWrongOfVllm.end();
  const OptionValue value = is_asked ? value_at(words, i) : OptionValue();
  const auto* const found = std::ranges::find_if(kWrongOfVllm, [&](const WrongValue& each) {
    return each.option == option && each.value == value.text;
  });
  if (found == kWrongOfVllm.end()) return;
  context.lint(value.at,
               "vLLM takes no " + shown(option + " " + value.text) +
                   (found->meant.empty() ? std::string() : "; expected " + shown(found->meant)));
}

bool is_vllm(std::span<const ShellWord> words, std::size_t i) {
  const std::string_view word = words[i].text;
  return word.starts_with("vllm.entrypoints.") || word == "dynamo.vllm" ||
         (program_name(word) == "vllm" && i + 1 < words.size() && words[i + 1].text == "serve");
}

void options_of_servers(View container, CheckContext& context) {
  const bool by_image = string_at(container, "image").starts_with("vllm/vllm-openai") &&
                        !has_items(get(container, "command"));
  if (!by_image && !contains_text(container, "vllm") && !contains_text(container, "sglang")) return;
  const ShellWords words = command_words(container);
  bool in_vllm = by_image;
  bool in_sglang = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i].text;
    in_vllm = (in_vllm && word != "\n") || is_vllm(words, i);
    in_sglang = (in_sglang && word != "\n") || word == "sglang.launch_server";
    if (in_vllm) {
      misspelt_option(words[i], "vLLM", kOptionsOfVllm, context);
      wrong_value(words, i, context);
    }
    if (in_sglang) {
      misspelt_option(words[i], "SGLang", kOptionsOfSglang, context);
      underscored_option(words[i], context);
    }
  }
}

bool has_option(std::span<const ShellWord> command, std::string_view name) {
  return std::ranges::any_of(command, [&](const ShellWord& each) {
    return kebab_option(each.text) == name || each.text.starts_with('$');
  });
}

/// vllm-project/vllm examples/online_serving/multi-node-serving.sh
void words_of_script(std::span<const ShellWord> command, CheckContext& context) {
  for (std::size_t i = 0; i < command.size(); ++i) {
    const std::string_view word = command[i].text;
    if (!word.ends_with("multi-node-serving.sh") || word.find('=') != word.npos) continue;
    const std::string_view before = i == 0 ? "bash" : program_name(command[i - 1].text);
    if (before != "bash" && before != "sh") return;  // copied, or made fit to run
    const std::string_view role = i + 1 < command.size() ? command[i + 1].text : "";
    if (role.starts_with('$')) return;
    if (role != "leader" && role != "worker") {
      context.lint(command[i].at, "the first word for the script is `leader` or `worker`");
      return;
    }
    const std::string_view wanted = role == "leader" ? "--ray-cluster-size" : "--ray-address";
    if (has_option(command.subspan(i + 1), wanted)) return;
    context.lint(command[i + 1].at,
                 "the script ends with an error: its " + shown(role) + " wants " +
                     (role == "leader" ? "`--ray_cluster_size`" : "`--ray_address`"));
    return;
  }
}

void ray_scripts(View container, CheckContext& context) {
  if (!contains_text(container, "multi-node-serving.sh")) return;
  each_command(command_words(container),
               [&](std::span<const ShellWord> command) { words_of_script(command, context); });
}

/// A worker of Dynamo is one pod, unless it has `--nnodes`.
void size_of_dynamo(const PodContainer& each, CheckContext& context) {
  if (each.role != ContainerRole::Regular || !contains_text(each.node, "dynamo.vllm")) return;
  const Devices devices = devices_of(get(each.node, "resources"));
  if (!devices.at || devices.at.key() != "nvidia.com/gpu" || devices.slices != 0) return;
  const ShellWords words = command_words(each.node);
  OptionValue tensor;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string option = kebab_option(words[i].text);
    if (option == "--nnodes" || option == "--distributed-executor-backend") return;
    if (option == "--tensor-parallel-size") tensor = value_at(words, i);
  }
  const auto number = tensor.number();
  if (!number || *number <= devices.whole) return;
  context
      .lint(tensor.at, "vLLM is to be spread over " + std::to_string(*number) +
                           " GPUs, and the pod has " + std::to_string(devices.whole))
      .also(context.place(devices.at), "the GPUs");
}

void server_options(const Pod& pod, CheckContext& context) {
  for (const PodContainer& each : pod.containers) {
    options_of_servers(each.node, context);
    ray_scripts(each.node, context);
    size_of_dynamo(each, context);
  }
}

constexpr Check kChecks[] = {
    {.name = "server-options",
     .group = CheckGroup::Serving,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "Servers of models, and the script that starts Ray for them, know their options "
                 "and the words behind them.",
     .source = "vllm-project/vllm vllm/engine/arg_utils.py, vllm/config, "
               "examples/online_serving/multi-node-serving.sh; sgl-project/sglang "
               "python/sglang/srt/server_args.py",
     .pod = server_options,
     .severity = Severity::Warning,
     .because = "The program ends with an error before it has read the model.",
     .fix = "write the option, or its value, as the program has it"},
};

}  // namespace

const std::span<const Check> server_option_lints = kChecks;

}  // namespace trainyard
