// Servers in images of their project, which hold no models, and where they look for one.

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/mounted_files.h"
#include "shell/command_line.h"
#include "shell/script_commands.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

bool has_no_models(std::string_view image) {
  constexpr auto images = std::to_array<std::string_view>(
      {"vllm/vllm-openai", "docker.io/vllm/vllm-openai", "lmsysorg/sglang",
       "docker.io/lmsysorg/sglang", "ghcr.io/huggingface/text-generation-inference"});
  return std::ranges::any_of(images, [&](std::string_view known) {
    return image.starts_with(known) && (image.size() == known.size() ||
                                        image.find_first_of(":@", known.size()) == known.size());
  });
}

/// The folder that a server reads; an empty one for the name of a model.
OptionValue model_of(const ShellWords& words, std::size_t i) {
  const std::string_view word = words[i].text;
  const std::string_view option = word.substr(0, word.find('='));
  const bool is_path = option == "--model" || option == "--model-path" || option == "--model-id";
  OptionValue model = is_path ? value_at(words, i) : OptionValue();
  const bool serves = word == "serve" && i > 0 && program_name(words[i - 1].text) == "vllm";
  if (serves && i + 1 < words.size()) {
    model = {std::string(words[i + 1].text), words[i + 1].at};
  }
  const bool is_plain = model.text.find_first_of("$*?{}") == std::string::npos;
  return model.text.starts_with('/') && is_plain ? model : OptionValue();
}

/// Whether the container speaks of the folder again, as one that fills it does.
bool is_made_there(const ShellWords& words, std::string_view model) {
  return std::ranges::count_if(words, [&](const ShellWord& each) {
           return each.text.find(model) != std::string_view::npos;
         }) > 1;
}

void model_path(const Pod& pod, CheckContext& context) {
  if (pod.has(kAddsContainers) || pod.has(kAddsVolumes)) return;
  for (const PodContainer& each : pod.containers) {
    if (!has_no_models(string_at(each.node, "image"))) continue;
    const ShellWords words = command_words(each.node);
    for (std::size_t i = 0; i < words.size(); ++i) {
      const OptionValue model = model_of(words, i);
      if (!model || mounted_path(pod, each.node, model.text)) continue;
      if (is_made_there(words, model.text)) continue;
      context.lint(model.at, "no volume is mounted above " + shown(model.text) +
                                 ", and the image holds no models");
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "model-path",
     .group = CheckGroup::Serving,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "The model that a server reads from a folder is on a volume.",
     .source =
         "vllm-project/vllm docker/Dockerfile; sgl-project/sglang docker/Dockerfile: no models "
         "in the image",
     .pod = model_path,
     .severity = Severity::Warning,
     .because = "The server takes the path for the name of a model, finds none, and ends.",
     .fix = "mount the volume with the model above this folder"},
};

}  // namespace

const std::span<const Check> model_path_lints = kChecks;

}  // namespace trainyard
