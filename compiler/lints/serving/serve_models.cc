// Models that Ray Serve serves with its own builders, and Services that lead to a RayService.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "lints/core/known_values.h"
#include "lints/tables.h"
#include "lints/training/ray_gpus.h"
#include "manifest/embedded_yaml.h"
#include "manifest/metadata.h"
#include "manifest/ray_objects.h"
#include "source/word_table.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kModule = "ray.serve.llm:";

// vllm-project/vllm vllm/engine/arg_utils.py EngineArgs
constexpr auto kEngineArguments = word_table<
    "tensor_parallel_size pipeline_parallel_size data_parallel_size max_model_len "
    "gpu_memory_utilization trust_remote_code enforce_eager max_num_seqs max_num_batched_tokens "
    "enable_prefix_caching enable_chunked_prefill kv_cache_dtype quantization download_dir "
    "load_format swap_space enable_lora max_lora_rank kv_transfer_config tokenizer dtype">;

void check_engine(View model, const TextYaml& yaml, const std::optional<ClusterGpus>& gpus,
                  CheckContext& context) {
  const View arguments = get(model, "engine_kwargs");
  for (View each : Items(arguments)) {
    const std::string_view near = closest_known_value(each.key(), kEngineArguments);
    if (near.empty()) continue;
    context.lint(yaml.place(each->key_span), "vLLM knows no argument " + shown(each.key()) +
                                                 ": did you mean " + shown(near) + "?");
  }
  const View tensor = get(arguments, "tensor_parallel_size");
  const auto tensor_size = integer_of(tensor);
  const std::int64_t pipeline_size = integer_at(arguments, "pipeline_parallel_size").value_or(1);
  if (!gpus || gpus->of_all == 0 || !tensor_size || *tensor_size < 1 || *tensor_size > 1024 ||
      pipeline_size < 1 || pipeline_size > 1024)
    return;
  if (*tensor_size * pipeline_size <= gpus->of_all) return;
  context.lint(yaml.place(tensor),
               "a copy of the model takes " + std::to_string(*tensor_size * pipeline_size) +
                   " GPUs, and the cluster has " + std::to_string(gpus->of_all));
}

void check_scaling(View model, const TextYaml& yaml, CheckContext& context) {
  const View range = get(get(model, "deployment_config"), "autoscaling_config");
  const View least = get(range, "min_replicas");
  const auto low = integer_of(least);
  const auto high = integer_at(range, "max_replicas");
  if (!low || !high || *low <= *high) return;
  context.lint(yaml.place(least), "`min_replicas` " + std::to_string(*low) +
                                      " is above `max_replicas` " + std::to_string(*high));
}

void check_builder(View path, const TextYaml& yaml, CheckContext& context) {
  constexpr auto known = std::to_array<std::string_view>(
      {"build_openai_app", "build_llm_deployment", "build_pd_openai_app", "build_dp_openai_app"});
  const std::string_view name = string_of(path).substr(kModule.size());
  const std::string_view near = closest_known_value(name, known);
  if (near.empty()) return;
  context.lint(yaml.place(path), shown(kModule.substr(0, kModule.size() - 1)) + " has no " +
                                     shown(name) + ": did you mean " + shown(near) + "?");
}

void check_application(View each, const TextYaml& yaml, View cluster, CheckContext& context) {
  const View path = get(each, "import_path");
  if (!string_of(path).starts_with(kModule)) return;
  check_builder(path, yaml, context);
  const View arguments = get(each, "args");
  const View models = get(arguments, "llm_configs");
  const bool takes_list = string_of(path) == std::string(kModule) + "build_openai_app";
  if (takes_list && arguments && arguments->is_map() && (!models || !has_items(models))) {
    context.lint(models ? yaml.place(models) : yaml.place(arguments),
                 "the application serves no model: `llm_configs` lists them");
  }
  const auto gpus = gpus_of_cluster(cluster);
  for (View model : items_at(arguments, "llm_configs")) {
    check_engine(model, yaml, gpus, context);
    check_scaling(model, yaml, context);
  }
  const View image = get(ray_container(get(cluster, "headGroupSpec")), "image");
  if (get(each, "runtime_env") || !string_of(image).starts_with("rayproject/ray:")) return;
  context.lint(image,
               "image " + shown(image->text) + " has no vLLM; expected `rayproject/ray-llm`");
}

void serve_models(View object, CheckContext& context) {
  const View text = get(get(object, "spec"), "serveConfigV2");
  if (string_of(text).find(kModule) == std::string_view::npos) return;
  const TextYaml yaml(text);
  for (View each : items_at(yaml.root(), "applications")) {
    check_application(each, yaml, get(get(object, "spec"), "rayClusterConfig"), context);
  }
}

/// Whether a container of the pods of a cluster has a port of this name.
bool has_port_name(View cluster, std::string_view name) {
  const auto in_group = [&](View group) {
    for (View container : items_at(get(get(group, "template"), "spec"), "containers")) {
      for (View port : items_at(container, "ports")) {
        if (string_at(port, "name") == name) return true;
      }
    }
    return false;
  };
  if (in_group(get(cluster, "headGroupSpec"))) return true;
  for (View group : items_at(cluster, "workerGroupSpecs")) {
    if (in_group(group)) return true;
  }
  return false;
}

/// KubeRay makes a cluster of another name for each version of a service.
void services_of_ray(View object, CheckContext& context) {
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return;
  const View name = metadata_name(object);
  const View cluster = get(get(object, "spec"), "rayClusterConfig");
  const auto services = inventory->services_by_label(
      metadata_namespace(object), {{"ray.io/cluster", string_of(name)}, {"ray.io/serve", "true"}});
  for (View service : services) {
    const View selector = get(get(service, "spec"), "selector");
    const View by_cluster = get(selector, "ray.io/cluster");
    const std::string its = shown(string_of(metadata_name(service)));
    if (by_cluster && !string_of(name).empty() && by_cluster->text == name->text) {
      context
          .lint(name, "Service " + its + " selects pods of a cluster " + shown(name->text) +
                          ", and those of this service are called `" + std::string(name->text) +
                          "-` and five letters")
          .also(context.place(by_cluster), "what it selects by");
    }
    const View serves = get(selector, "ray.io/serve");
    if (!serves || selector->size != 1 || !cluster) continue;
    for (View port : items_at(get(service, "spec"), "ports")) {
      const View target = get(port, "targetPort");
      if (string_of(target).empty() || has_port_name(cluster, target->text)) continue;
      context
          .lint(cluster, "Service " + its + " leads to port " + shown(target->text) +
                             " of these pods, and no container has a port of that name")
          .also(context.place(target), "the port of the Service");
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "serve-models",
     .group = CheckGroup::Serving,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "ray.io RayService",
     .sentence = "Models that Ray Serve serves have arguments that vLLM takes, an image with vLLM, "
                 "and GPUs enough.",
     .source = "ray-project/ray python/ray/serve/llm, python/ray/llm/_internal/serve/configs",
     .object = serve_models,
     .severity = Severity::Warning,
     .because = "The application fails to deploy, and the service never becomes ready.",
     .fix = "write the arguments as vLLM has them, and take `rayproject/ray-llm`"},
    {.name = "services-of-ray",
     .group = CheckGroup::Serving,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "ray.io RayService",
     .sentence = "A Service for the pods of a RayService selects some, at a port that they have.",
     .source = "ray-project/kuberay ray-operator/controllers/ray/utils/util.go "
               "GenerateRayClusterName",
     .object = services_of_ray,
     .severity = Severity::Warning,
     .because = "The Service leads nowhere, and a client is refused.",
     .fix = "select `ray.io/serve: \"true\"`, or take the Service that KubeRay makes"},
};

}  // namespace

const std::span<const Check> serve_model_lints = kChecks;

}  // namespace trainyard
