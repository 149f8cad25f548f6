// Servers of SGLang that span pods: each pod starts one, and says which it is.
// sgl-project/sglang python/sglang/srt/server_args.py

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/check.h"
#include "diag/words.h"
#include "lints/serving/service_pods.h"
#include "lints/tables.h"
#include "manifest/devices.h"
#include "shell/command_line.h"
#include "shell/script_commands.h"
#include "source/text_parts.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::int64_t kDefaultPort = 30000;

/// The one server that a container starts, and what its words say.
struct SglangCall {
  const WorkloadRole* role = nullptr;
  View container;
  WordView at;
  OptionValue host, port, nodes, rank, address, copies;
  bool shares_attention = false;   // the copies take part of the groups
  std::vector<OptionValue> sizes;  // of groups that multiply
};

void read_option(const ShellWords& words, std::size_t i, SglangCall& call) {
  const std::string_view word = words[i].text;
  const std::string_view option = word.substr(0, word.find('='));
  const OptionValue value = option.starts_with("--") ? value_at(words, i) : OptionValue();
  if (option == "--host") call.host = value;
  if (option == "--port") call.port = value;
  if (option == "--nnodes") call.nodes = value;
  if (option == "--node-rank") call.rank = value;
  if (is_one_of(option, {"--dist-init-addr", "--nccl-init-addr"})) call.address = value;
  if (is_one_of(option, {"--dp", "--dp-size", "--data-parallel-size"})) call.copies = value;
  call.shares_attention = call.shares_attention || option == "--enable-dp-attention";
  const bool is_size = is_one_of(option, {"--tp", "--tp-size", "--tensor-parallel-size", "--pp",
                                          "--pp-size", "--pipeline-parallel-size"});
  if (is_size) call.sizes.push_back(value);
}

/// Nothing for a container without one, with several, or with options that are not known.
std::optional<SglangCall> sglang_call(const WorkloadRole& role, View container) {
  if (!contains_text(container, "sglang")) return std::nullopt;
  SglangCall call;
  call.role = &role;
  call.container = container;
  const ShellWords words = command_words(container);
  int servers = 0;
  bool in_call = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].text == "sglang.launch_server") {
      ++servers;
      in_call = true;
      call.at = words[i].at;
    }
    in_call = in_call && words[i].text != "\n";
    if (!in_call) continue;
    const bool is_value = i > 0 && words[i - 1].text.starts_with("--");
    if ((words[i].text.starts_with('$') && !is_value) || words[i].text == "--config") {
      return std::nullopt;
    }
    read_option(words, i, call);
  }
  return servers == 1 ? std::optional(std::move(call)) : std::nullopt;
}

std::vector<SglangCall> sglang_calls(const Workload& workload) {
  std::vector<SglangCall> calls;
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      if (auto call = sglang_call(role, container)) calls.push_back(std::move(*call));
    }
  }
  return calls;
}

/// What says how many pods serve together, and how many.
struct Group {
  View at;
  std::int64_t pods = 1;
};

Group group_of(const Workload& workload) {
  const View size = get(get(workload.spec, "leaderWorkerTemplate"), "size");
  if (workload.kind == "LeaderWorkerSet") return {size, integer_of(size).value_or(1)};
  return {workload.roles.front().count, workload.pods()};
}

void check_nodes(const SglangCall& call, const Group& group, CheckContext& context) {
  const auto nodes = call.nodes.number();
  if (!nodes || *nodes <= group.pods) return;
  Diagnostic& told = context.lint(
      call.nodes.at,
      "the servers wait for " + std::to_string(*nodes) + " nodes, and " +
          (group.pods == 1 ? "1 pod serves" : std::to_string(group.pods) + " pods serve together"));
  if (group.at) told.also(context.place(group.at), "the pods");
}

/// The first of a LeaderWorkerSet leads and is 0; every other one needs a number of its own.
void check_rank(const SglangCall& call, const Workload& workload, const Group& group,
                CheckContext& context) {
  const auto rank = call.rank.number();
  if (!rank || group.pods < 2) return;
  const bool leads = call.role->name == "leader";
  const bool has_leader = workload.role("leader") != nullptr;
  if (leads ? *rank == 0 : has_leader && group.pods == 2 && *rank == 1) return;
  if (!leads && !has_leader && workload.roles.size() > 1) return;
  context.lint(call.rank.at,
               leads || has_leader
                   ? "the leader is node 0, and this pod says that it is node " + call.rank.text
                   : "each of the " + std::to_string(group.pods) + " pods says that it is node " +
                         call.rank.text);
}

std::string_view port_in(std::string_view address) {
  const std::size_t colon = address.rfind(':');
  return colon == address.npos ? std::string_view() : address.substr(colon + 1);
}

void check_addresses(const std::vector<SglangCall>& calls, CheckContext& context) {
  for (const SglangCall& call : calls) {
    const std::string_view first = port_in(calls.front().address.text);
    const std::string_view port = port_in(call.address.text);
    if (first.empty() || port.empty() || first == port) continue;
    if (!plain_number(first) || !plain_number(port)) continue;
    context
        .lint(call.address.at, "this pod goes to port " + std::string(port) +
                                   ", and the first one listens at " + std::string(first))
        .also(context.place(calls.front().address.at), "the port of the first one");
    return;
  }
}

/// Whole GPUs of NVIDIA or AMD in one pod; nothing where they are others, or none.
std::optional<std::int64_t> gpus_of(const WorkloadRole& role) {
  const Devices devices = role.devices;
  const bool is_one_each =
      devices.at && is_one_of(devices.at.key(), {"nvidia.com/gpu", "amd.com/gpu"});
  if (!is_one_each || devices.slices != 0 || devices.whole == 0) return std::nullopt;
  return devices.whole;
}

/// All ranks; nothing where a size is no number.
std::optional<std::int64_t> ranks_of(const SglangCall& call) {
  std::int64_t ranks = 1;
  for (const OptionValue& size : call.sizes) {
    const auto number = size.number();
    if (!number || *number < 1 || *number > 1024) return std::nullopt;
    ranks *= *number;
  }
  return call.sizes.empty() ? std::nullopt : std::optional(ranks);
}

void check_sizes(const SglangCall& call, const Group& group, CheckContext& context) {
  const auto gpus = gpus_of(*call.role);
  const auto wanted = ranks_of(call);
  if (!gpus || !wanted || group.pods > 10'000) return;
  const std::int64_t there = call.nodes ? *gpus * group.pods : *gpus;
  if (*wanted <= there) return;
  context
      .lint(call.sizes.front().at,
            "SGLang is to be spread over " + std::to_string(*wanted) + " GPUs, and the " +
                (call.nodes && group.pods > 1 ? "pods have " : "pod has ") + std::to_string(there))
      .also(context.place(call.role->devices.at), "the GPUs");
}

/// server_args.py: tp_size * pp_size % nnodes == 0, and tp_size % dp_size == 0 with attention.
void check_divisors(const SglangCall& call, const Group& group, CheckContext& context) {
  const auto ranks = ranks_of(call);
  if (!ranks) return;
  const bool by_group =
      is_one_of(call.nodes.text, {"$(LWS_GROUP_SIZE)", "$LWS_GROUP_SIZE", "${LWS_GROUP_SIZE}"});
  const std::int64_t nodes = by_group ? group.pods : call.nodes.number().value_or(1);
  if (nodes > 1 && nodes <= group.pods && *ranks % nodes != 0) {
    context.lint(call.sizes.front().at, std::to_string(*ranks) + " ranks cannot be parted among " +
                                            std::to_string(nodes) + " nodes");
  }
  const auto copies = call.copies.number();
  const auto tensor = call.sizes.front().number();
  if (!call.shares_attention || !copies || *copies < 1 || call.sizes.size() != 1) return;
  if (*tensor % *copies == 0) return;
  context.lint(call.copies.at, "with `--enable-dp-attention` the " + std::to_string(*tensor) +
                                   " ranks are parted into groups, and " + call.copies.text +
                                   " does not divide them");
}

/// `HOST:PORT`; the variable of a LeaderWorkerSet is the host alone.
void check_address_port(const SglangCall& call, CheckContext& context) {
  const std::string_view text = call.address.text;
  const bool is_host =
      is_one_of(text, {"$(LWS_LEADER_ADDRESS)", "$LWS_LEADER_ADDRESS", "${LWS_LEADER_ADDRESS}"});
  const bool is_written = text.find_first_of("$:") == text.npos;
  if (text.empty() || (!is_host && !is_written)) return;
  context.lint(call.address.at,
               "SGLang wants a port behind the host: " + shown(std::string(text) + ":20000"));
}

void check_probes(const SglangCall& call, CheckContext& context) {
  if (call.port && !call.port.number()) return;
  const std::int64_t port = call.port ? *call.port.number() : kDefaultPort;
  for (std::string_view name : {"startupProbe", "readinessProbe", "livenessProbe"}) {
    for (std::string_view kind : {"httpGet", "tcpSocket"}) {
      const View probe = get(get(call.container, name), kind);
      const View asked = get(probe, "port");
      const auto number = asked_port(asked, call.container);
      if (!number || get(probe, "host")) continue;
      if (*number != port) {
        context.lint(asked, "the probe asks at " + std::to_string(*number) +
                                ", and SGLang listens at " + std::to_string(port) +
                                (call.port ? "" : ", its default"));
        return;
      }
      if (call.host && !is_one_of(call.host.text, {"127.0.0.1", "localhost"})) continue;
      context
          .lint(call.host ? call.host.at : call.at,
                "SGLang listens at `127.0.0.1` alone" +
                    std::string(call.host ? "" : ", its default") +
                    ", and probes ask at the address of the pod")
          .also(context.place(asked), "a probe");
      return;
    }
  }
}

void sglang_nodes(const Workload& workload, CheckContext& context) {
  const std::vector<SglangCall> calls = sglang_calls(workload);
  if (calls.empty()) return;
  const Group group = group_of(workload);
  for (const SglangCall& call : calls) {
    check_nodes(call, group, context);
    check_rank(call, workload, group, context);
    check_sizes(call, group, context);
    check_divisors(call, group, context);
    check_address_port(call, context);
  }
  check_addresses(calls, context);
}

void sglang_port(const Workload& workload, CheckContext& context) {
  for (const SglangCall& call : sglang_calls(workload)) {
    if (call.role->containers.size() == 1) check_probes(call, context);
  }
}

constexpr Check kChecks[] = {
    {.name = "sglang-nodes",
     .group = CheckGroup::Serving,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "Servers of SGLang that work together agree on their number, their ranks, the "
                 "address where they meet, and the GPUs.",
     .source = "sgl-project/sglang python/sglang/srt/server_args.py, issues 4978, 10216 and 12450",
     .workload = sglang_nodes,
     .severity = Severity::Warning,
     .because = "Each server waits for all others before it reads its model.",
     .fix = "give each pod `--nnodes $(LWS_GROUP_SIZE) --node-rank $(LWS_WORKER_INDEX) "
            "--dist-init-addr $(LWS_LEADER_ADDRESS):20000`"},
    {.name = "sglang-port",
     .group = CheckGroup::Serving,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "Probes reach a server of SGLang.",
     .source = "sgl-project/sglang python/sglang/srt/server_args.py: host 127.0.0.1, port 30000",
     .workload = sglang_port,
     .severity = Severity::Warning,
     .because = "The pod never becomes ready, or the kubelet starts it again and again.",
     .fix = "write `--host 0.0.0.0`, and the port of the probe as `--port`"},
};

}  // namespace

const std::span<const Check> sglang_lints = kChecks;

}  // namespace trainyard
