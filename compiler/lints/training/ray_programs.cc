#include "lints/training/ray_programs.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "diag/words.h"
#include "lints/gpu_words.h"
#include "lints/training/ray_gpus.h"
#include "manifest/inventory.h"
#include "shell/command_line.h"
#include "shell/script_commands.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

using Words = std::span<const ShellWord>;

/// A number small enough for products.
std::optional<std::int64_t> sensible(const OptionValue& value) {
  constexpr std::int64_t kMost = 1'000'000;
  const auto number = value.number();
  return number && *number >= 1 && *number <= kMost ? number : std::nullopt;
}

/// An override for Hydra: `trainer.nnodes=8`, also with `+` or `++` in front.
OptionValue override_of(Words words, std::string_view name) {
  OptionValue found;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view key = words[i].text.substr(0, words[i].text.find('='));
    if (key.size() == words[i].text.size()) continue;
    key.remove_prefix(std::min(key.find_first_not_of('+'), key.size()));
    if (key == name) found = value_at(words, i);
  }
  return found;
}

/// `--actor_num_nodes 2`, in later releases `--actor.num_nodes 2`.
OptionValue option_of(Words words, std::string_view name) {
  OptionValue found;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string option(words[i].text.substr(0, words[i].text.find('=')));
    if (!option.starts_with("--")) continue;
    std::ranges::replace(option, '.', '_');
    std::ranges::replace(option, '-', '_');
    if (std::string_view(option).substr(2) == name) found = value_at(words, i);
  }
  return found;
}

bool has_flag(Words words, std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(words, [&](const ShellWord& word) {
    std::string option(word.text.substr(0, word.text.find('=')));
    if (!option.starts_with("--")) return false;
    std::ranges::replace(option, '.', '_');
    std::ranges::replace(option, '-', '_');
    return std::ranges::find(names, std::string_view(option).substr(2)) != names.end();
  });
}

/// The GPUs that a program finds, and what to show of them.
struct Cluster {
  ClusterGpus gpus;
  View at;
};

/// What verl multiplies and divides before it starts. True where something was told.
bool verl(Words words, const Cluster& cluster, CheckContext& context) {
  constexpr std::int64_t kDefaultOfNode = 8;
  const OptionValue of_node = override_of(words, "trainer.n_gpus_per_node");
  const OptionValue nodes = override_of(words, "trainer.nnodes");
  if (!of_node && !nodes) return false;
  const auto each = of_node ? sensible(of_node) : kDefaultOfNode;
  const auto many = nodes ? sensible(nodes) : 1;
  if (!each || !many) return false;
  const WordView at = (nodes ? nodes : of_node).at;
  const std::int64_t all = *each * *many;
  const auto tell = [&](WordView place, std::string message, bool is_of_cluster) {
    Diagnostic& told = context.lint(place, std::move(message));
    if (is_of_cluster && cluster.at) told.also(context.place(cluster.at), "the cluster");
    return true;
  };
  if (*each > cluster.gpus.of_pod) {
    return tell(of_node ? of_node.at : at,
                "verl takes " + gpus(*each) +
                    " of one node, and the largest pod of the cluster has " +
                    std::to_string(cluster.gpus.of_pod),
                true);
  }
  if (all > cluster.gpus.of_all) {
    return tell(
        at,
        "verl takes " + gpus(all) + ", and the cluster has " + std::to_string(cluster.gpus.of_all),
        true);
  }
  const OptionValue tensor =
      override_of(words, "actor_rollout_ref.rollout.tensor_model_parallel_size");
  if (const auto size = sensible(tensor); size && all % *size != 0) {
    return tell(
        tensor.at,
        "the " + gpus(all) + " of verl cannot be parted in groups of " + std::to_string(*size),
        false);
  }
  const OptionValue batch = override_of(words, "data.train_batch_size");
  const OptionValue copies = override_of(words, "actor_rollout_ref.rollout.n");
  const auto prompts = sensible(batch);
  const auto times = copies ? sensible(copies) : 1;
  const bool is_other =
      override_of(words, "actor_rollout_ref.actor.strategy") ||
      override_of(words, "actor_rollout_ref.actor.use_dynamic_bsz") ||
      std::ranges::any_of(words, [](const ShellWord& word) {
        return word.text.starts_with("--config") || word.text.find("megatron") != word.text.npos;
      });
  if (!prompts || !times || is_other || (*prompts * *times) % all == 0) return false;
  return tell(batch.at,
              "a batch of " + std::to_string(*prompts * *times) + " cannot be parted among the " +
                  gpus(all) + " of verl",
              false);
}

/// The least that OpenRLHF takes: what is not stated may be left out or shared.
void openrlhf(Words words, const Cluster& cluster, CheckContext& context) {
  const bool all_share = has_flag(words, {"colocate_all_models", "train_colocate_all"});
  const auto product = [&](std::string_view one, std::string_view other) -> std::int64_t {
    const auto a = sensible(option_of(words, one));
    const auto b = sensible(option_of(words, other));
    return a && b ? *a * *b : 0;
  };
  const OptionValue first = option_of(words, "actor_num_nodes");
  std::int64_t wanted = product("actor_num_nodes", "actor_num_gpus_per_node");
  if (wanted == 0) return;
  if (!all_share) {
    wanted += product("vllm_num_engines", "vllm_tensor_parallel_size");
    // Without a weight for it there is no reference.
    const OptionValue older = option_of(words, "init_kl_coef");
    const OptionValue weight = older ? older : option_of(words, "algo_kl_init_coef");
    const bool has_reference = !weight || weight.text.find_first_not_of("0.") != std::string::npos;
    if (has_reference && !has_flag(words, {"colocate_actor_ref", "train_colocate_actor_ref"})) {
      wanted += product("ref_num_nodes", "ref_num_gpus_per_node");
    }
    const bool share = has_flag(words, {"colocate_critic_reward", "train_colocate_critic_reward"});
    if (!share && !has_flag(words, {"remote_rm_url", "reward_remote_url"})) {
      wanted += product("reward_num_nodes", "reward_num_gpus_per_node");
    }
    if (option_of(words, "critic_pretrain")) {
      wanted += product("critic_num_nodes", "critic_num_gpus_per_node");
    }
  }
  if (wanted <= cluster.gpus.of_all) return;
  Diagnostic& told = context.lint(first.at, "OpenRLHF takes " + gpus(wanted) +
                                                " for its models, and the cluster has " +
                                                std::to_string(cluster.gpus.of_all));
  if (cluster.at) told.also(context.place(cluster.at), "the cluster");
}

void programs(Words words, const Cluster& cluster, CheckContext& context) {
  if (verl(words, cluster, context)) return;
  const bool is_openrlhf = std::ranges::any_of(words, [](const ShellWord& word) {
    return word.text.starts_with("openrlhf.cli.train_ppo_ray") ||
           word.text.ends_with("openrlhf/cli/train_ppo_ray.py");
  });
  if (is_openrlhf) openrlhf(words, cluster, context);
}

/// The cluster whose head is called in a word: `http://NAME-head-svc:8265`.
std::optional<Cluster> cluster_called(Words words, CheckContext& context) {
  constexpr std::string_view kEnd = "-head-svc";
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return std::nullopt;
  const std::string_view own = string_at(get(context.object(), "metadata"), "namespace");
  for (const ShellWord& word : words) {
    const std::size_t end = word.text.find(kEnd);
    if (end == word.text.npos) continue;
    const std::size_t begin = word.text.find_last_of("/='\" ", end) + 1;
    const View found =
        inventory->find("ray.io", "RayCluster", own, word.text.substr(begin, end - begin));
    const auto all = found ? gpus_of_cluster(get(found, "spec")) : std::nullopt;
    if (all) return Cluster{*all, get(get(found, "metadata"), "name")};
  }
  return std::nullopt;
}

/// Pods that start Ray themselves, and are its nodes. A lone one may be joined by others.
std::optional<Cluster> own_pods(const Workload& workload, View container) {
  const bool starts = contains_text(container, "ray start") && workload.pods() > 1;
  if (!starts || get(workload.spec, "elasticPolicy")) return std::nullopt;
  Cluster cluster;
  for (const WorkloadRole& role : workload.roles) {
    if (role.devices.slices != 0) return std::nullopt;
    cluster.gpus.of_pod = std::max(cluster.gpus.of_pod, role.devices.whole);
    cluster.gpus.of_all += role.devices.whole * role.pods;
    if (role.devices.at) cluster.at = role.devices.at;
  }
  return cluster.gpus.of_all == 0 ? std::nullopt : std::optional(cluster);
}

bool may_be_program(std::string_view text) {
  constexpr auto parts =
      std::to_array<std::string_view>({"trainer.n_gpus_per_node", "trainer.nnodes", "openrlhf"});
  return std::ranges::any_of(parts,
                             [&](std::string_view part) { return text.find(part) != text.npos; });
}

void entrypoint(const Workload& workload, CheckContext& context) {
  const View text = get(workload.spec, "entrypoint");
  const View cluster = get(workload.spec, "rayClusterSpec");
  if (!cluster || !may_be_program(string_of(text))) return;
  const auto all = gpus_of_cluster(cluster);
  const View groups = get(cluster, "workerGroupSpecs");
  if (all) programs(argument_words({text}), {*all, groups}, context);
}

}  // namespace

void check_ray_programs(const Workload& workload, CheckContext& context) {
  if (workload.is("ray.io", "RayJob")) return entrypoint(workload, context);
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      const bool may = any_argument(
          container, [](View argument) { return may_be_program(string_of(argument)); });
      if (!may) continue;
      const ShellWords words = command_words(container);
      auto cluster = cluster_called(words, context);
      if (!cluster) cluster = own_pods(workload, container);
      const std::size_t before = context.findings();
      if (cluster) programs(words, *cluster, context);
      if (context.findings() != before) return;
    }
  }
}

}  // namespace trainyard
