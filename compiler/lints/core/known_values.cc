#include "lints/core/known_values.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include "check/check.h"
#include "check/typos.h"
#include "diag/words.h"
#include "source/characters.h"
#include "source/word_table.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// c10/cuda/CUDAAllocatorConfig.cpp parseArgs
constexpr auto kAllocatorKeys = std::to_array<std::string_view>(
    {"backend", "max_split_size_mb", "max_non_split_rounding_mb", "garbage_collection_threshold",
     "roundup_power2_divisions", "expandable_segments", "release_lock_on_cudamalloc",
     "release_lock_on_hipmalloc", "pinned_use_cuda_host_register", "pinned_use_hip_host_register",
     "pinned_num_register_threads", "pinned_use_background_threads",
     "pinned_reserve_segment_size_mb", "per_process_memory_fraction",
     "graph_capture_record_stream_reuse", "large_segment_size_mb"});

/// `key:value,key:value`; what is in brackets belongs to a value.
void allocator_settings(View value, CheckContext& context) {
  std::string_view rest = string_of(value);
  while (!rest.empty()) {
    std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
    item.remove_prefix(std::min(item.find_first_not_of(' '), item.size()));
    const std::string_view key = item.substr(0, item.find_first_of(":="));
    if (item.find(':') == item.npos && item.find('=') != item.npos) {
      context.lint(value, shown(item) + " is no setting of PyTorch's allocator; expected `" +
                              std::string(key) + ":VALUE`");
    } else if (const std::string_view near = closest_known_value(key, kAllocatorKeys);
               !near.empty()) {
      context.lint(value, "PyTorch's allocator has no setting " + shown(key) + "; did you mean " +
                              shown(near) + "?");
    }
  }
}

void debug_level(View value, CheckContext& context) {
  constexpr auto levels = std::to_array<std::string_view>({"off", "info", "detail"});
  std::string word(string_of(value));
  if (word.empty() || word.find('$') != word.npos) return;
  std::ranges::transform(word, word.begin(), to_lower);
  if (std::ranges::find(levels, word) != levels.end()) return;
  context.lint(value, shown(value->text) +
                          " is no level of `TORCH_DISTRIBUTED_DEBUG`; expected `OFF`, `INFO` or "
                          "`DETAIL`");
}

/// python/ray/scripts/scripts.py start
constexpr auto kRayStart = word_table<
    "node-ip-address address port node-name redis-username redis-password redis-shard-ports "
    "object-manager-port node-manager-port gcs-server-port min-worker-port max-worker-port "
    "worker-port-list ray-client-server-port memory object-store-memory num-cpus num-gpus "
    "resources head include-dashboard dashboard-host dashboard-port dashboard-agent-listen-port "
    "dashboard-agent-grpc-port dashboard-grpc-port runtime-env-agent-port block plasma-directory "
    "object-spilling-directory autoscaling-config no-redirect-output temp-dir system-config "
    "metrics-export-port no-monitor tracing-startup-hook ray-debugger-external "
    "disable-usage-stats labels labels-file log-style log-color verbose">;

constexpr auto kNodeLabels = word_table<
    "kubernetes.io/hostname kubernetes.io/arch kubernetes.io/os topology.kubernetes.io/zone "
    "topology.kubernetes.io/region node.kubernetes.io/instance-type nvidia.com/gpu.product "
    "nvidia.com/gpu.count nvidia.com/gpu.memory nvidia.com/gpu.family nvidia.com/gpu.present "
    "nvidia.com/gpu.machine nvidia.com/gpu.clique nvidia.com/vgpu.present "
    "cloud.google.com/gke-nodepool cloud.google.com/gke-accelerator "
    "cloud.google.com/gke-tpu-accelerator cloud.google.com/gke-tpu-topology "
    "eks.amazonaws.com/nodegroup karpenter.sh/nodepool karpenter.sh/capacity-type">;

/// What GKE calls its GPUs: GoogleCloudPlatform/container-engine-accelerators, documentation of
/// GKE, GPU platforms.
constexpr auto kGkeAccelerators = std::to_array<std::string_view>(
    {"nvidia-tesla-t4", "nvidia-tesla-v100", "nvidia-tesla-p100", "nvidia-tesla-p4",
     "nvidia-tesla-a100", "nvidia-a100-80gb", "nvidia-l4", "nvidia-h100-80gb",
     "nvidia-h100-mega-80gb", "nvidia-h200-141gb", "nvidia-b200", "nvidia-gb200", "nvidia-b300",
     "nvidia-gb300", "nvidia-rtx-pro-6000"});

void label(View at, std::string_view key, CheckContext& context) {
  const std::string_view near = closest_known_value(key, kNodeLabels);
  if (near.empty()) return;
  context.lint(at, "nodes have no label " + shown(key) + "; did you mean " + shown(near) + "?");
}

// Variables of torch's process group for NCCL, as it reads them.
constexpr auto kNumbersOfTorch = std::to_array<std::string_view>(
    {"TORCH_NCCL_ASYNC_ERROR_HANDLING", "TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC",
     "TORCH_NCCL_TRACE_BUFFER_SIZE", "TORCH_NCCL_WAIT_TIMEOUT_DUMP_MILSEC",
     "TORCH_NCCL_COORD_CHECK_MILSEC"});
constexpr auto kFlagsOfTorch = std::to_array<std::string_view>(
    {"TORCH_NCCL_BLOCKING_WAIT", "TORCH_NCCL_DESYNC_DEBUG", "TORCH_NCCL_DUMP_ON_TIMEOUT",
     "TORCH_NCCL_ENABLE_MONITORING", "TORCH_NCCL_ENABLE_TIMING", "TORCH_NCCL_NAN_CHECK"});

bool is_flag_of_torch(std::string_view text) {
  constexpr auto words =
      std::to_array<std::string_view>({"y", "yes", "1", "t", "true", "n", "no", "0", "f", "false"});
  const std::string lower = lower_case(text);
  return std::ranges::find(words, lower) != words.end();
}

void process_group_variable(View value, std::string_view name, CheckContext& context) {
  const std::string_view text = string_of(value);
  if (text.empty() || text.find('$') != text.npos) return;
  if (std::ranges::find(kFlagsOfTorch, name) != kFlagsOfTorch.end() && !is_flag_of_torch(text)) {
    context.lint(value, shown(text) + " is no flag for PyTorch; expected `1` or `0`");
  }
  if (std::ranges::find(kNumbersOfTorch, name) != kNumbersOfTorch.end()) {
    check_digits(value, "PyTorch", context);
  }
}

}  // namespace

std::string_view closest_known_value(std::string_view word,
                                     std::span<const std::string_view> known) {
  if (std::ranges::find(known, word) != known.end()) return {};
  const auto near =
      std::ranges::find_if(known, [&](std::string_view each) { return is_typo_of(word, each); });
  return near == known.end() ? std::string_view() : *near;
}

void check_digits(View value, std::string_view program, CheckContext& context) {
  std::string_view text = string_of(value);
  constexpr std::string_view kBlanks = " \t\n";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  text = text.substr(0, text.find_last_not_of(kBlanks) + 1);
  const std::size_t sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  const std::size_t digits =
      std::min(text.find_first_not_of("0123456789", sign), text.size()) - sign;
  if (digits == 0) {
    context.lint(value, shown(text) + " is no number for " + std::string(program) +
                            "; expected digits only");
  } else if (sign + digits != text.size()) {
    context.lint(value, std::string(program) + " takes " + shown(text) + " for " +
                            std::string(text.substr(0, sign + digits)));
  }
}

void check_torch_variables(const Pod& pod, CheckContext& context) {
  for (const PodContainer& container : pod.containers) {
    for (View each : items_at(container.node, "env")) {
      const std::string_view name = string_at(each, "name");
      if (name.starts_with("TORCH_NCCL_"))
        process_group_variable(get(each, "value"), name, context);
      if (name == "TORCH_DISTRIBUTED_DEBUG") debug_level(get(each, "value"), context);
      if (name == "PYTORCH_CUDA_ALLOC_CONF" || name == "PYTORCH_HIP_ALLOC_CONF" ||
          name == "PYTORCH_ALLOC_CONF") {
        allocator_settings(get(each, "value"), context);
      }
    }
  }
}

void check_ray_start(const Workload& workload, CheckContext& context) {
  if (workload.group != "ray.io") return;
  const bool is_asked = workload.kind == "RayJob" || workload.kind == "RayService";
  for (const WorkloadRole& role : workload.roles) {
    for (View entry : entries_at(role.holder, "rayStartParams")) {
      if (const std::string_view near = closest_known_value(entry.key(), kRayStart);
          !near.empty()) {
        context.lint(entry, "`ray start` has no option " + shown("--" + std::string(entry.key())) +
                                "; did you mean " + shown(near) + "?");
      }
      const std::string_view value = string_of(entry);
      if ((entry.key() == "object-store-memory" || entry.key() == "memory") &&
          Quantity::parse(value) && !value.empty() &&
          value.find_first_not_of("0123456789") != value.npos) {
        context.lint(entry,
                     "`ray start` takes bytes for " + shown(entry.key()) + ", and " + shown(value) +
                         " is no whole number",
                     Severity::Warning);
      }
      // KubeRay puts it into a script as it is, and the shell takes the quotes out.
      if (entry.key() == "resources" && value.starts_with('{') &&
          value.find_first_of("\"'") != value.npos && value.find('\\') == value.npos) {
        context.lint(entry,
                     "a shell reads " + shown(value) + ", and Ray no JSON: put quotes around it",
                     Severity::Warning);
      }
      if (entry.key() == "resources" && value.starts_with('{') && value.size() > 2 &&
          value.find_first_of("\"'$") == value.npos) {
        context.lint(entry, shown(value) + " is no JSON: names of resources need quotes",
                     Severity::Warning);
      }
      if (is_asked && entry.key() == "dashboard-host" &&
          (value == "127.0.0.1" || value == "localhost")) {
        context.lint(entry,
                     "the dashboard listens at " + shown(value) +
                         ", where the operator does not reach it; expected `0.0.0.0`",
                     Severity::Warning);
      }
    }
  }
}

/// NVIDIA/k8s-device-plugin docs/gpu-feature-discovery: the name that the driver has, with `-` for
/// each blank. Drivers put `NVIDIA` in front of these.
void gpu_product(View value, CheckContext& context) {
  constexpr auto bare = word_table<"H100 H200 H20 B200 B300 GB200 GB300 L4 L40 L40S H800">;
  std::string name(string_of(value));
  if (std::ranges::find(bare, name) != bare.end()) {
    context.lint(value, "no node has the product " + shown(name) +
                            ": the label has the whole name, such as `NVIDIA-H100-80GB-HBM3`");
  }
  if (name.find('_') == name.npos || !name.starts_with("NVIDIA")) return;
  std::ranges::replace(name, '_', '-');
  context.lint(value, "the label of a GPU has no `_`; did you mean " + shown(name) + "?");
}

/// `p5.48xl` for `p5.48xlarge`.
void instance_type(View value, CheckContext& context) {
  const std::string_view text = string_of(value);
  const std::size_t dot = text.find('.');
  if (dot == text.npos || dot == 0 || !text.ends_with("xl")) return;
  context.lint(value, "AWS has no instances of type " + shown(text) + "; did you mean " +
                          shown(std::string(text) + "arge") + "?");
}

void check_node_labels(const Pod& pod, CheckContext& context) {
  for (View entry : entries_at(pod.spec, "nodeSelector")) {
    label(entry, entry.key(), context);
    if (entry.key() == "nvidia.com/gpu.product") gpu_product(entry, context);
    if (entry.key() == "node.kubernetes.io/instance-type") instance_type(entry, context);
    if (entry.key() != "cloud.google.com/gke-accelerator") continue;
    const std::string_view value = string_of(entry);
    // Others may differ by a number.
    const auto near = std::ranges::find_if(
        kGkeAccelerators, [&](std::string_view known) { return is_typo_of_name(value, known); });
    if (std::ranges::find(kGkeAccelerators, value) != kGkeAccelerators.end()) continue;
    if (near == kGkeAccelerators.end()) continue;
    context.lint(entry,
                 "GKE has no accelerator " + shown(value) + "; did you mean " + shown(*near) + "?");
  }
  for (View each : items_at(pod.spec, "topologySpreadConstraints")) {
    const View key = get(each, "topologyKey");
    label(key, string_of(key), context);
  }
  const View affinity = get(pod.spec, "affinity");
  const auto terms = [&](View of_nodes) {
    for (View expression : items_at(of_nodes, "matchExpressions")) {
      const View key = get(expression, "key");
      label(key, string_of(key), context);
    }
  };
  const View required =
      get(get(affinity, "nodeAffinity"), "requiredDuringSchedulingIgnoredDuringExecution");
  for (View term : items_at(required, "nodeSelectorTerms")) terms(term);
  for (View each :
       items_at(get(affinity, "nodeAffinity"), "preferredDuringSchedulingIgnoredDuringExecution")) {
    terms(get(each, "preference"));
  }
  for (std::string_view kind : {"podAffinity", "podAntiAffinity"}) {
    const View own = get(affinity, kind);
    for (View term : items_at(own, "requiredDuringSchedulingIgnoredDuringExecution")) {
      const View key = get(term, "topologyKey");
      label(key, string_of(key), context);
    }
    for (View each : items_at(own, "preferredDuringSchedulingIgnoredDuringExecution")) {
      const View key = get(get(each, "podAffinityTerm"), "topologyKey");
      label(key, string_of(key), context);
    }
  }
}

/// What a container asks for is its limit where it does not say so.
void check_processors(const Pod& pod, CheckContext& context) {
  constexpr std::int64_t kMost = 4096;  // the largest machines have half of that
  for (const PodContainer& container : pod.containers) {
    const View resources = get(container.node, "resources");
    const View request = get(get(resources, "requests"), "cpu");
    const View amount = request ? request : get(get(resources, "limits"), "cpu");
    if (!amount) continue;
    const auto number = Quantity::parse(amount->text);
    if (!number || *number <= Quantity::of(kMost)) continue;
    const std::string text(amount->text);  // a build writes 8000 as `8k`
    const bool is_thousands = text.ends_with('k');
    context.lint(amount, "no node has " + text + " processors; did you mean " +
                             shown(is_thousands ? text.substr(0, text.size() - 1) : text + "m") +
                             "?");
  }
}

}  // namespace trainyard
