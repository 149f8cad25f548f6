#include "lints/serving/vllm.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/check.h"
#include "diag/words.h"
#include "lints/serving/service_pods.h"
#include "manifest/devices.h"
#include "manifest/go_text.h"
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
  std::vector<OptionValue> sizes;  // of groups that multiply
  ShellWords words;                // of all commands of the container
};

bool is_server(std::span<const ShellWord> words, std::size_t i) {
  const std::string_view word = words[i].text;
  return word.starts_with("vllm.entrypoints.") ||
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

/// Nothing for a container without one, and where not all of its options are known.
std::optional<VllmCall> vllm_call(View container) {
  const bool by_image = string_at(container, "image").starts_with("vllm/vllm-openai") &&
                        !has_items(get(container, "command"));
  if (!by_image && !mentions(container, "vllm")) return std::nullopt;
  VllmCall call;
  call.words = command_words(container);
  int servers = by_image ? 1 : 0;
  bool in_call = by_image;
  for (std::size_t i = 0; i < call.words.size(); ++i) {
    const std::string_view word = call.words[i].text;
    if (word.find("ray") != word.npos || word == "external_launcher") return std::nullopt;
    if (is_server(call.words, i)) {
      ++servers;
      in_call = true;
      call.at = call.words[i].at;
    }
    in_call = in_call && word != "\n";
    if (!in_call) continue;
    const std::string option = option_of(word);
    if (is_beyond_words(option) || word.starts_with('$')) return std::nullopt;
    constexpr auto sizes = std::to_array<std::string_view>(
        {"--tensor-parallel-size", "-tp", "--pipeline-parallel-size", "-pp"});
    if (option == "--port") call.port = value_at(call.words, i);
    if (option == "--gpu-memory-utilization") call.share = value_at(call.words, i);
    if (option == "--host") {
      const OptionValue host = value_at(call.words, i);
      if (host.text == "127.0.0.1" || host.text == "localhost") call.loopback = host;
    }
    if (std::ranges::find(sizes, option) != sizes.end()) {
      call.sizes.push_back(value_at(call.words, i));
    }
  }
  return servers == 1 ? std::optional(std::move(call)) : std::nullopt;
}

/// Nothing else is started beside the server that could pass on to it.
bool is_only_program(const VllmCall& call) {
  return std::ranges::none_of(call.words, [](const ShellWord& word) { return word.text == "\n"; });
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
  return is_spoken_of || !is_only_program(call) || (is_declared(asked) && is_declared(port));
}

/// The port that a probe asks at, by its number or by the name of a port of the container.
std::optional<std::int64_t> port_of(View asked, View container) {
  if (!asked) return std::nullopt;
  if (const auto number = integer_of(asked)) return number;
  for (View port : items_at(container, "ports")) {
    if (string_at(port, "name") == string_of(asked)) return integer_at(port, "containerPort");
  }
  return std::nullopt;
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
      const auto number = port_of(asked, container);
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
  const View labels = get(pod.metadata, "labels");
  const Inventory* inventory = has_items(labels) ? context.inventory() : nullptr;
  if (inventory == nullptr) return;
  const std::string_view own = string_at(get(context.object(), "metadata"), "namespace");
  for (View service : inventory->all("", "Service")) {
    const View spec = get(service, "spec");
    const View ports = get(spec, "ports");
    if (string_at(get(service, "metadata"), "namespace") != own) continue;
    if (!leads_to(service, context.object(), labels)) continue;
    if (!has_items(ports) || ports->size != 1) continue;
    const View only = *Items(ports).begin();
    const View target = get(only, "targetPort");
    const View asked = target ? target : get(only, "port");
    const auto number = port_of(asked, container);
    if (!number || *number == port || string_at(spec, "clusterIP") == "None") continue;
    if (has_other_listener(container, call, *number, port)) continue;
    Diagnostic& told = context.lint(call.port ? call.port.at
                                    : call.at ? call.at
                                              : WordView(get(container, "image")),
                                    listens(call, port) + ", and Service " +
                                        shown(string_at(get(service, "metadata"), "name")) +
                                        " leads to " + std::to_string(*number) + " of these pods");
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
  const auto call = container ? vllm_call(container) : std::nullopt;
  if (!call || (call->port && !call->port.number())) return;
  const std::int64_t port = call->port ? *call->port.number() : kDefaultPort;
  check_probes(container, *call, port, context);
  check_services(pod, container, *call, port, context);
}

void check_vllm_size(const Pod& pod, CheckContext& context) {
  if (!may_serve(context.object())) return;
  for (const PodContainer& each : pod.containers) {
    const auto call = vllm_call(each.node);
    const auto share = call ? go_number(call->share.text) : std::nullopt;
    if (!share || *share <= 1) continue;
    context.lint(call->share.at, "vLLM takes a share of the memory of its GPUs, 1 at most, not " +
                                     shown(call->share.text));
  }
  const std::string_view kind = string_at(context.object(), "kind");
  const bool is_alone = kind == "Deployment" || kind == "Pod" || kind == "ReplicaSet";
  if (!is_alone) return;
  for (const PodContainer& each : pod.containers) {
    if (each.role != ContainerRole::Regular) continue;
    const auto call = vllm_call(each.node);
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
    if (all <= devices.whole) continue;
    context
        .lint(call->sizes.front().at, "vLLM is to be spread over " + std::to_string(all) +
                                          " GPUs, and the pod has " + std::to_string(devices.whole))
        .also(context.place(devices.at), "the GPUs");
  }
}

}  // namespace trainyard
