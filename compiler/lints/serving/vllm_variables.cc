// Variables by which vLLM finds its model and its peers.

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "shell/command_line.h"
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
         std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
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

/// vllm/vllm-openai holds no model: without the hub there is none.
void offline_without_model(const Pod& pod, View container, CheckContext& context) {
  constexpr auto kNames =
      std::to_array<std::string_view>({"HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"});
  if (!string_at(container, "image").starts_with("vllm/vllm-openai")) return;
  if (has_items(get(pod.spec, "initContainers"))) return;
  if (may_have_models(container) && !is_empty_cache(pod, container)) return;
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
     .on = "pod",
     .sentence = "Variables of vLLM lead to the head of Ray and to a model.",
     .source = "vllm-project/vllm vllm/v1/executor/ray_utils.py; issue 14349",
     .pod = vllm_variables,
     .severity = Severity::Warning,
     .because = "vLLM ends when it starts.",
     .fix = "leave `RAY_ADDRESS` out, and mount a volume with the model"},
    {.name = "vllm-own-address",
     .group = CheckGroup::Serving,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "workload",
     .sentence = "Each pod of vLLM states its own address.",
     .source = "vllm-project/vllm vllm/envs.py VLLM_HOST_IP",
     .workload = own_address,
     .severity = Severity::Warning,
     .because = "The pods look for each other at one address, and Ray finds no node with it.",
     .fix = "take `VLLM_HOST_IP` from `status.podIP`"},
};

}  // namespace

const std::span<const Check> vllm_variable_lints = kChecks;

}  // namespace trainyard
