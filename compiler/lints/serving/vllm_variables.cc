// Variables by which vLLM finds its model and its peers.

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "shell/command_line.h"
#include "source/characters.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

bool runs_vllm(View container) {
  return contains_text(container, "vllm") ||
         string_at(container, "image").find("vllm") != std::string_view::npos;
}

/// Ray's own client takes `ray://`; a driver such as vLLM wants the GCS.
void address_of_client(View container, CheckContext& context) {
  const View address = variable_value(container, "RAY_ADDRESS");
  if (!string_of(address).starts_with("ray://")) return;
  context.lint(address,
               shown(address->text) +
                   " is for Ray's client; vLLM needs the address of the head, `HOST:6379`");
}

bool is_address(std::string_view text) {
  return !text.empty() && text != "0.0.0.0" &&
         std::ranges::all_of(text, [](char c) { return is_digit(c) || c == '.'; });
}

void one_address_for_all(const WorkloadRole& role, View container, std::int64_t pods,
                         CheckContext& context) {
  const View address = variable_value(container, "VLLM_HOST_IP");
  if (pods < 2 || !is_address(string_of(address))) return;
  context
      .lint(address, "`VLLM_HOST_IP` is " + shown(address->text) + " in each of " +
                         std::to_string(pods) + " pods")
      .also(context.place(role.count), "how many pods");
}

/// Whether a volume may hold models, or the script may bring one.
bool may_have_models(View container) {
  const bool has_volume = std::ranges::any_of(items_at(container, "volumeMounts"), [](View mount) {
    return string_at(mount, "mountPath") != "/dev/shm";
  });
  return has_volume || contains_text(container, "download") || contains_text(container, " cp ");
}

bool is_empty_cache(const Pod& pod, View container) {
  return std::ranges::all_of(items_at(container, "volumeMounts"), [&](View mount) {
    const auto volumes = items_at(pod.spec, "volumes");
    return std::ranges::any_of(volumes, [&](View volume) {
      return string_at(volume, "name") == string_at(mount, "name") && get(volume, "emptyDir");
    });
  });
}

/// `org/model` behind `--model`, which is looked for in the cache: no path, and none in a volume.
bool is_of_hub(std::string_view model) {
  return std::ranges::count(model, '/') == 1 && model.front() != '/' && model.front() != '.' &&
         model.find_first_of("$:~") == model.npos && !model.ends_with('/');
}

/// Whether a volume is where the cache of the hub is, or the program gets another place.
bool has_cache(View container) {
  constexpr auto kPlaces =
      std::to_array<std::string_view>({"HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE",
                                       "TRANSFORMERS_CACHE", "XDG_CACHE_HOME", "HOME"});
  if (contains_text(container, "download") || has_items(get(container, "envFrom"))) return true;
  if (std::ranges::any_of(kPlaces, [&](std::string_view name) {
        return static_cast<bool>(variable(container, name)) || contains_text(container, "HF_");
      })) {
    return true;
  }
  return std::ranges::any_of(items_at(container, "volumeMounts"), [](View mount) {
    const std::string_view path = string_at(mount, "mountPath");
    return path.starts_with("/root") || path.starts_with("/vllm-workspace") ||
           path.find("cache") != path.npos;
  });
}

/// The model that a server takes from the hub, where no cache is mounted.
OptionValue model_of_hub(View container) {
  if (has_cache(container)) return {};
  const ShellWords words = command_words(container);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].text != "--model" && !words[i].text.starts_with("--model=")) continue;
    OptionValue model = value_at(words, i);
    if (!model.text.empty() && is_of_hub(model.text)) return model;
  }
  return {};
}

/// vllm/vllm-openai holds no model: without the hub there is none.
void offline_without_model(const Pod& pod, View container, CheckContext& context) {
  constexpr auto kNames =
      std::to_array<std::string_view>({"HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"});
  if (!string_at(container, "image").starts_with("vllm/vllm-openai")) return;
  if (has_items(get(pod.spec, "initContainers"))) return;
  const OptionValue model = model_of_hub(container);
  if (may_have_models(container) && !is_empty_cache(pod, container) && !model) return;
  for (std::string_view name : kNames) {
    const View value = variable_value(container, name);
    if (string_of(value) != "1" && string_of(value) != "true") continue;
    context.lint(value, shown(name) +
                            " keeps vLLM from the hub, and no volume of the pod holds a "
                            "model");
    return;
  }
}

void vllm_variables(const Pod& pod, CheckContext& context) {
  for (const PodContainer& each : pod.containers) {
    if (!runs_vllm(each.node)) continue;
    address_of_client(each.node, context);
    offline_without_model(pod, each.node, context);
  }
}

void own_address(const Workload& workload, CheckContext& context) {
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      if (runs_vllm(container)) one_address_for_all(role, container, workload.pods(), context);
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "vllm-variables",
     .group = CheckGroup::Serving,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence =
         "Variables of vLLM lead to the head of Ray and to a model, and each pod states its "
         "own address.",
     .source = "vllm-project/vllm vllm/v1/executor/ray_utils.py, vllm/envs.py VLLM_HOST_IP; issue "
               "14349",
     .pod = vllm_variables,
     .workload = own_address,
     .severity = Severity::Warning,
     .because = "vLLM ends when it starts, or Ray finds no node with the address.",
     .fix = "leave `RAY_ADDRESS` out, mount a volume with the model, and take `VLLM_HOST_IP` from "
            "`status.podIP`"},
};

}  // namespace

const std::span<const Check> vllm_variable_lints = kChecks;

}  // namespace trainyard
