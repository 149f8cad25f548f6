#include "lints/serving/vllm.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/check.h"
#include "diag/words.h"
#include "lints/serving/service_pods.h"
#include "manifest/devices.h"
#include "manifest/embedded_yaml.h"
#include "manifest/go_text.h"
#include "manifest/launch.h"
#include "manifest/metadata.h"
#include "manifest/mounted_files.h"
#include "shell/command_line.h"
#include "shell/script_commands.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::int64_t kDefaultPort = 8000;

/// The one call of a server in a container.
struct VllmCall {
  WordView at;
  OptionValue port;
  OptionValue loopback;            // the address, where it is heard in its pod alone
  OptionValue share;               // of the memory of its GPUs
  OptionValue backend;             // that starts its processes
  std::vector<OptionValue> sizes;  // of groups that multiply
  ShellWords words;                // of all commands of the container
};

/// `trl vllm-serve`: huggingface/trl trl/scripts/vllm_serve.py
bool is_server_of_trl(std::span<const ShellWord> words, std::size_t i) {
  return program_name(words[i].text) == "trl" && i + 1 < words.size() &&
         words[i + 1].text == "vllm-serve";
}

bool is_server(std::span<const ShellWord> words, std::size_t i) {
  const std::string_view word = words[i].text;
  return is_server_of_trl(words, i) || word.starts_with("vllm.entrypoints.") ||
         (program_name(word) == "vllm" && i + 1 < words.size() && words[i + 1].text == "serve");
}

/// `_` counts as `-`: vllm-project/vllm vllm/utils/argparse_utils.py FlexibleArgumentParser
std::string option_of(std::string_view word) {
  std::string option(word.substr(0, word.find('=')));
  if (option.starts_with("--")) std::ranges::replace(option, '_', '-');
  return option;
}

/// Options by which a server spans pods, listens elsewhere, or takes more options from a file.
bool is_beyond_words(std::string_view option) {
  constexpr auto options = std::to_array<std::string_view>(
      {"--config", "--nnodes", "--headless", "--data-parallel-size", "-dp", "--uds"});
  return std::ranges::find(options, option) != options.end();
}

/// The options that a file of settings has, as far as the checks ask for them; false where one of
/// them takes the server beyond its pod, or the file is not known.
/// vllm-project/vllm vllm/utils/argparse_utils.py load_config_file
bool add_settings(const Pod& pod, View container, std::string_view path, CheckContext& context,
                  VllmCall& call) {
  const auto mounted = mounted_path(pod, container, path);
  const bool is_config_map = mounted && get(mounted->volume, "configMap");
  const Inventory* inventory = is_config_map ? context.inventory() : nullptr;
  if (inventory == nullptr) return false;
  const View text = config_map_text(*inventory, context.object(), *mounted);
  if (!text) return false;
  const TextYaml file(text);
  const View root = file.root();
  if (!root || !root->is_map()) return false;
  for (View each : Items(root)) {
    std::string option = "--" + std::string(each.key());
    std::ranges::replace(option, '_', '-');
    if (is_beyond_words(option) || option == "--distributed-executor-backend") return false;
    const OptionValue value{std::string(string_of(each).empty() ? each->text : string_of(each)),
                            file.place(each)};
    if (option == "--port") call.port = value;
    if (option == "--tensor-parallel-size" || option == "--pipeline-parallel-size") {
      call.sizes.push_back(value);
    }
  }
  return true;
}

/// Ray takes the processes of a server to other pods.
enum class WithRay { No, Too };

/// Nothing for a container without one, and where not all of its options are known.
/// `pod` and `context` are for its file of settings.
std::optional<VllmCall> vllm_call(View container, WithRay ray = WithRay::No,
                                  const Pod* pod = nullptr, CheckContext* context = nullptr) {
  const bool by_image = string_at(container, "image").starts_with("vllm/vllm-openai") &&
                        !has_items(get(container, "command"));
  if (!by_image && !contains_text(container, "vllm")) return std::nullopt;
  VllmCall call;
  call.words = command_words(container);
  int servers = by_image ? 1 : 0;
  bool in_call = by_image;
  bool is_of_trl = false;
  for (std::size_t i = 0; i < call.words.size(); ++i) {
    const std::string_view word = call.words[i].text;
    const bool is_of_ray = ray == WithRay::No && word.find("ray") != word.npos;
    if (is_of_ray || word == "external_launcher") return std::nullopt;
    if (is_server(call.words, i)) {
      ++servers;
      in_call = true;
      call.at = call.words[i].at;
      is_of_trl = is_server_of_trl(call.words, i);
    }
    in_call = in_call && word != "\n";
    if (!in_call) continue;
    const std::string option = option_of(word);
    // That of TRL has all of its copies in one pod.
    const bool is_of_copies = is_of_trl && option == "--data-parallel-size";
    if (option == "--config" && pod != nullptr) {
      const OptionValue file = value_at(call.words, i);
      if (!add_settings(*pod, container, file.text, *context, call)) return std::nullopt;
      continue;
    }
    if ((is_beyond_words(option) && !is_of_copies) || word.starts_with('$')) return std::nullopt;
    constexpr auto sizes = std::to_array<std::string_view>(
        {"--tensor-parallel-size", "-tp", "--pipeline-parallel-size", "-pp"});
    if (option == "--port") call.port = value_at(call.words, i);
    if (option == "--gpu-memory-utilization") call.share = value_at(call.words, i);
    if (option == "--distributed-executor-backend") call.backend = value_at(call.words, i);
    if (option == "--host") {
      const OptionValue host = value_at(call.words, i);
      if (host.text == "127.0.0.1" || host.text == "localhost") call.loopback = host;
    }
    if (is_of_copies || std::ranges::find(sizes, option) != sizes.end()) {
      call.sizes.push_back(value_at(call.words, i));
    }
  }
  return servers == 1 ? std::optional(std::move(call)) : std::nullopt;
}

/// Scripts of vllm-project/vllm and kubernetes-sigs/lws that start Ray on a pod.
bool is_ray_script(std::string_view word) {
  return word.ends_with("multi-node-serving.sh") || word.ends_with("ray_init.sh");
}

bool starts_ray(std::span<const ShellWord> command) {
  return program_name(command.front().text) == "ray" ||
         std::ranges::any_of(command,
                             [](const ShellWord& word) { return is_ray_script(word.text); });
}

/// Nothing else is started beside the server that could pass on to it.
bool is_only_program(const VllmCall& call) {
  int others = 0;
  each_command(call.words, [&](std::span<const ShellWord> command) {
    bool serves = false;
    for (std::size_t i = 0; i < command.size(); ++i) serves = serves || is_server(command, i);
    if (!serves && !starts_ray(command)) ++others;
  });
  const bool is_one =
      std::ranges::none_of(call.words, [](const ShellWord& word) { return word.text == "\n"; });
  return is_one || others == 0;
}

/// Ports at which Ray listens: python/ray/scripts/scripts.py start
bool is_port_of_ray(std::int64_t port) {
  constexpr auto kPorts = std::to_array<std::int64_t>({6379, 8076, 8077, 8265, 10001, 52365});
  return std::ranges::find(kPorts, port) != kPorts.end();
}

/// Whether the container may have something else that listens there: a port that its words speak
/// of, or one that is declared beside that of the server.
bool has_other_listener(View container, const VllmCall& call, std::int64_t asked,
                        std::int64_t port) {
  const std::string number = std::to_string(asked);
  const bool is_spoken_of =
      std::ranges::any_of(
          call.words,
          [&](const ShellWord& word) { return word.text.find(number) != std::string::npos; }) ||
      std::ranges::any_of(items_at(container, "env"), [&](View each) {
        return string_at(each, "value").find(number) != std::string_view::npos;
      });
  const auto is_declared = [&](std::int64_t wanted) {
    return std::ranges::any_of(items_at(container, "ports"), [&](View each) {
      return integer_at(each, "containerPort") == wanted;
    });
  };
  return is_spoken_of || is_port_of_ray(asked) || !is_only_program(call) ||
         (is_declared(asked) && is_declared(port));
}

std::string listens(const VllmCall& call, std::int64_t port) {
  return "vLLM listens at " + std::to_string(port) + (call.port ? "" : ", its default");
}

/// Paths at which other servers answer.
void check_path(View probe, CheckContext& context) {
  constexpr auto of_others = std::to_array<std::string_view>(
      {"/healthz", "/livez", "/readyz", "/ready", "/live", "/health/ready", "/health/live",
       "/v1/health/ready", "/v1/health/live", "/v2/health/ready", "/v2/health/live"});
  const View path = get(get(probe, "httpGet"), "path");
  if (std::ranges::find(of_others, string_of(path)) == of_others.end()) return;
  context.lint(path, "vLLM does not answer at " + shown(path->text) + "; expected `/health`");
}

void check_probes(View container, const VllmCall& call, std::int64_t port, CheckContext& context) {
  for (std::string_view name : {"startupProbe", "readinessProbe", "livenessProbe"}) {
    for (std::string_view kind : {"httpGet", "tcpSocket"}) {
      const View asked = get(get(get(container, name), kind), "port");
      const auto number = asked_port(asked, container);
      if (number == port) {
        check_path(get(container, name), context);
        if (!call.loopback || !is_only_program(call)) continue;
        context
            .lint(call.loopback.at, "vLLM listens at " + shown(call.loopback.text) +
                                        " alone, and probes ask at the address of the pod")
            .also(context.place(asked), "a probe");
        return;
      }
      if (!number || *number == port) continue;
      if (has_other_listener(container, call, *number, port)) continue;
      Diagnostic& told = context.lint(
          asked, "the probe asks at " + std::to_string(*number) + ", and " + listens(call, port));
      if (call.port) told.also(context.place(call.port.at), "the port of the server");
      return;
    }
  }
}

void check_services(const Pod& pod, View container, const VllmCall& call, std::int64_t port,
                    CheckContext& context) {
  for (const auto& [service, asked] : served_ports(pod, context)) {
    const auto number = asked_port(asked, container);
    if (!number || *number == port) continue;
    if (has_other_listener(container, call, *number, port)) continue;
    Diagnostic& told = context.lint(call.port ? call.port.at
                                    : call.at ? call.at
                                              : WordView(get(container, "image")),
                                    listens(call, port) + ", and Service " +
                                        shown(string_of(metadata_name(service))) + " leads to " +
                                        std::to_string(*number) + " of these pods");
    told.also(context.place(asked), "the port that it leads to");
  }
}

/// Kinds of pods that stay. Jobs train, and their words are not looked through for a server.
bool may_serve(View object) {
  const std::string_view kind = string_at(object, "kind");
  return kind == "Deployment" || kind == "StatefulSet" || kind == "ReplicaSet" || kind == "Pod" ||
         kind == "LeaderWorkerSet";
}

/// Pods whose only container is the server.
View lone_container(const Pod& pod) {
  const View containers = get(pod.spec, "containers");
  if (pod.has(kAddsContainers) || !has_items(containers) || containers->size != 1) return {};
  const bool has_sidecar = std::ranges::any_of(items_at(pod.spec, "initContainers"), [](View each) {
    return string_at(each, "restartPolicy") == "Always";
  });
  return has_sidecar ? View() : *Items(containers).begin();
}

}  // namespace

void check_vllm_port(const Pod& pod, CheckContext& context) {
  if (!may_serve(context.object())) return;
  const View container = lone_container(pod);
  const auto call = container ? vllm_call(container, WithRay::Too, &pod, &context) : std::nullopt;
  if (!call || (call->port && !call->port.number())) return;
  const std::int64_t port = call->port ? *call->port.number() : kDefaultPort;
  check_probes(container, *call, port, context);
  check_services(pod, container, *call, port, context);
}

void check_vllm_size(const Pod& pod, CheckContext& context) {
  const std::string_view kind = string_at(context.object(), "kind");
  // A server that a training asks is in a pod of its job.
  const bool is_in_job = kind == "Job" || kind == "JobSet" || kind == "TrainingRuntime";
  if (!may_serve(context.object()) && !is_in_job) return;
  for (const PodContainer& each : pod.containers) {
    const auto call = vllm_call(each.node, WithRay::Too);
    const auto share = call ? go_number(call->share.text) : std::nullopt;
    if (!share || *share <= 1) continue;
    context.lint(call->share.at, "vLLM takes a share of the memory of its GPUs, 1 at most, not " +
                                     shown(call->share.text));
  }
  const bool is_alone = kind == "Deployment" || kind == "Pod" || kind == "ReplicaSet";
  if (!is_alone && !is_in_job) return;
  for (const PodContainer& each : pod.containers) {
    if (each.role != ContainerRole::Regular) continue;
    const auto call = vllm_call(each.node, WithRay::No, &pod, &context);
    const Devices devices = devices_of(get(each.node, "resources"));
    // Cards of others may be several devices.
    const bool is_one_each =
        devices.at && (devices.at.key() == "nvidia.com/gpu" || devices.at.key() == "amd.com/gpu");
    if (!is_one_each || !call || call->sizes.empty() || devices.whole == 0 || devices.slices != 0)
      continue;
    std::int64_t all = 1;
    for (const OptionValue& size : call->sizes) {
      const auto number = size.number();
      if (!number || *number < 1 || *number > 1024) return;
      all *= *number;
    }
    // A cluster of Ray takes them to other pods.
    if (all <= devices.whole || variable(each.node, "RAY_ADDRESS")) continue;
    context
        .lint(call->sizes.front().at, "vLLM is to be spread over " + std::to_string(all) +
                                          " GPUs, and the pod has " + std::to_string(devices.whole))
        .also(context.place(devices.at), "the GPUs");
  }
}

namespace {

/// The groups of a server multiplied; nothing where one is no number.
std::optional<std::int64_t> all_sizes(const VllmCall& call) {
  std::int64_t all = 1;
  for (const OptionValue& size : call.sizes) {
    const auto number = size.number();
    if (!number || *number < 1 || *number > 1024) return std::nullopt;
    all *= *number;
  }
  return call.sizes.empty() ? std::nullopt : std::optional(all);
}

/// Whole GPUs of NVIDIA or AMD; nothing where they are others, or none.
std::optional<std::int64_t> whole_gpus(const Devices& devices) {
  const bool is_one_each =
      devices.at && (devices.at.key() == "nvidia.com/gpu" || devices.at.key() == "amd.com/gpu");
  if (!is_one_each || devices.slices != 0 || devices.whole == 0) return std::nullopt;
  return devices.whole;
}

}  // namespace

void check_vllm_idle(const Pod& pod, CheckContext& context) {
  if (!may_serve(context.object()) || string_at(context.object(), "kind") == "LeaderWorkerSet") {
    return;
  }
  for (const PodContainer& each : pod.containers) {
    if (each.role != ContainerRole::Regular) continue;
    const auto call = vllm_call(each.node);
    const auto all = call && is_only_program(*call) ? all_sizes(*call) : std::nullopt;
    const Devices devices = devices_of(get(each.node, "resources"));
    const auto gpus = whole_gpus(devices);
    if (!all || !gpus || *all >= *gpus || variable(each.node, "VLLM_DP_SIZE")) continue;
    context
        .lint(call->sizes.front().at,
              "vLLM takes " + std::to_string(*all) + " of " + std::to_string(*gpus) + " GPUs")
        .also(context.place(devices.at), "the GPUs");
  }
}

namespace {

/// The word of a container behind `--ray_cluster_size`, where it is a number.
void cluster_size(View container, std::int64_t size, View size_at, CheckContext& context) {
  const ShellWords words = command_words(container);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string option = option_of(words[i].text);
    if (option != "--ray-cluster-size") continue;
    const OptionValue value = value_at(words, i);
    const auto number = value.number();
    if (!number || *number <= size) continue;
    context
        .lint(value.at, "the script waits for " + std::to_string(*number) +
                            " nodes of Ray, and a group has " + std::to_string(size) +
                            (size == 1 ? " pod" : " pods"))
        .also(context.place(size_at), "the pods of a group");
  }
}

/// `NAME` of `$NAME:6379` and `${NAME}`.
std::string_view variable_in(std::string_view text) {
  if (!text.starts_with('$')) return {};
  text.remove_prefix(text.starts_with("${") ? 2 : 1);
  return text.substr(0,
                     text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                            "0123456789_"));
}

/// `--ray_address=$LEADER` of a worker, where nothing sets the variable.
void unset_leader(const Workload& workload, const WorkloadRole& role, View container,
                  CheckContext& context) {
  if (has_items(get(container, "envFrom"))) return;
  constexpr std::size_t kMostNames = 8;  // the script is searched for each
  const ShellWords words = command_words(container);
  std::set<std::string> asked;
  for (std::size_t i = 0; i < words.size() && asked.size() < kMostNames; ++i) {
    const std::string option = option_of(words[i].text);
    if (option != "--ray-address" && option != "--address") continue;
    const OptionValue value = value_at(words, i);
    const std::string_view name = variable_in(value.text);
    if (name.empty() || !asked.emplace(name).second) continue;
    if (variable(container, name) || script_sets(container, name)) continue;
    if (is_injected(workload, role, container, name)) continue;
    context.lint(value.at, "workers join the leader at " + shown(value.text) +
                               ", and nothing sets " + shown(name) +
                               "; expected `$LWS_LEADER_ADDRESS`");
  }
}

/// A leader by its name, where each group has one of its own.
void leader_of_first(const Workload& workload, View container, CheckContext& context) {
  const View copies = get(workload.spec, "replicas");
  const auto number = integer_of(copies);
  if (!number || *number < 2) return;
  const ShellWords words = command_words(container);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (option_of(words[i].text) != "--ray-address") continue;
    const OptionValue value = value_at(words, i);
    if (value.text.empty() || value.text.find('$') != std::string::npos) continue;
    context
        .lint(value.at, "the workers of all " + std::to_string(*number) + " groups join " +
                            shown(value.text) + "; expected `$(LWS_LEADER_ADDRESS)`")
        .also(context.place(copies), "the groups");
  }
}

/// A worker that begins a cluster of its own.
void second_head(View container, CheckContext& context) {
  const ShellWords words = command_words(container);
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const bool by_script = is_ray_script(words[i].text) && words[i + 1].text == "leader";
    const bool by_hand = words[i].text == "--head" && contains_text(container, "ray start");
    if (!by_script && !by_hand) continue;
    context.lint(words[i].at,
                 "each worker starts a Ray cluster of its own, and the leader waits for them");
    return;
  }
}

}  // namespace

void check_vllm_group(const Workload& workload, CheckContext& context) {
  if (!workload.is("leaderworkerset.x-k8s.io", "LeaderWorkerSet")) return;
  const View templates = get(workload.spec, "leaderWorkerTemplate");
  const View size_at = get(templates, "size");
  const std::int64_t size = integer_of(size_at).value_or(1);
  const WorkloadRole* worker = workload.role("worker");
  const WorkloadRole* leader = workload.role("leader");
  if (leader != nullptr && worker != nullptr) {
    for (View container : worker->containers) {
      second_head(container, context);
      leader_of_first(workload, container, context);
      unset_leader(workload, *worker, container, context);
    }
  }
  if (leader == nullptr) leader = worker;
  if (leader == nullptr || size < 1 || size > 100'000) return;
  for (View container : leader->containers) {
    cluster_size(container, size, size_at, context);
    const auto call = vllm_call(container, WithRay::Too);
    const std::int64_t wanted = call ? all_sizes(*call).value_or(0) : 0;
    const std::int64_t own = whole_gpus(leader->devices).value_or(0);
    const std::int64_t others = worker == nullptr ? 0 : whole_gpus(worker->devices).value_or(0);
    if (own == 0 || (size > 1 && others == 0)) continue;
    const bool is_local = call && call->backend.text == "mp";
    const bool spans = contains_text(container, "ray") && !is_local;
    const std::int64_t there = spans ? own + (size - 1) * others : own;
    if (wanted <= there) continue;
    context
        .lint(call->sizes.front().at,
              "vLLM is to be spread over " + std::to_string(wanted) + " GPUs, and the " +
                  (spans ? "pods of a group have " : "pod has ") + std::to_string(there))
        .also(context.place(leader->devices.at), "the GPUs");
  }
}

void check_vllm_start(const Pod& pod, CheckContext& context) {
  if (!may_serve(context.object())) return;
  constexpr std::int64_t kLeast = 60;          // seconds
  constexpr std::int64_t kLeastOfLarge = 120;  // of a model for several GPUs
  for (const PodContainer& each : pod.containers) {
    const auto call = vllm_call(each.node, WithRay::Too);
    if (!call) continue;
    const View startup = get(each.node, "startupProbe");
    const View probe = startup ? startup : get(each.node, "livenessProbe");
    if (!probe || !probe->is_map()) continue;
    const auto number = [&](std::string_view name, std::int64_t unset) {
      return std::clamp<std::int64_t>(integer_at(probe, name).value_or(unset), 0, 1'000'000);
    };
    const std::int64_t seconds = number("initialDelaySeconds", 0) +
                                 number("failureThreshold", 3) * number("periodSeconds", 10);
    const bool is_large = devices_of(get(each.node, "resources")).whole >= 4;
    if (seconds >= (is_large ? kLeastOfLarge : kLeast)) continue;
    context.lint(probe, "the kubelet kills vLLM " + std::to_string(seconds) +
                            " s after its start unless it answers then");
  }
}

}  // namespace trainyard
