#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rules/rule.h"
#include "rules/rule_context.h"
#include "spec/port_probe.h"

namespace trainyard {
namespace {

/// Whether the first of several pods serves for all: their ranks meet, or only it has an address.
bool serves_by_first(const RuleContext& context, const Role& role) {
  if (*role.part_pods < 2) return false;
  return context.program->groups || *context.plan.framework != "none";
}

/// A port that takes connections shows that the server is ready. The first one in the spec's order
/// of names stands for all.
void probe(RuleContext& context, Role& role, const Entry<std::int64_t>& port) {
  Tree& tree = context.tree();
  const OriginId origin = context.because({context.from(port.value)});
  const NodeId probe = tree.add_map(origin);
  const NodeId how = tree.add_map(origin);
  if (serves_by_first(context, role)) {
    const NodeId command = tree.add_seq(origin);
    for (std::string_view word : {"sh", "-c"}) tree.append(command, tree.add_string(word, origin));
    const std::string_view script = tree.intern(first_pod_listens(*port.value));
    tree.append(command, tree.add_string(script, origin));
    tree.append(how, "command", command);
    tree.append(probe, "exec", how);
  } else {
    tree.append(how, "port", tree.add_string(port.key, origin));
    tree.append(probe, "tcpSocket", how);
  }
  context.set(role.readiness, probe, origin);
}

/// The program's ranks meet at a port of the same pod.
void check_is_free(RuleContext& context, const Entry<std::int64_t>& port) {
  const auto& meeting = context.plan.rendezvous.port;
  if (!meeting || *meeting != *port.value) return;
  context
      .report(DiagnosticKind::ConflictingValues, port.value.span,
              "the ranks of this program meet at port " + std::to_string(*meeting))
      .note("expose another port, or name another one in `run.rendezvous.port`");
}

/// Servers that other pods do not reach unless an option says at which address they listen.
struct LocalServer {
  std::string_view name;
  std::string_view option;
  std::string_view short_option;
};
// encode/uvicorn uvicorn/main.py --host; sgl-project/sglang python/sglang/srt/server_args.py host;
// pallets/flask src/flask/cli.py run --host; benoitc/gunicorn gunicorn/config.py Bind;
// tensorflow/tensorboard tensorboard/plugins/core/core_plugin.py --host, --bind_all;
// mlflow/mlflow mlflow/cli/__init__.py server --host; ggml-org/llama.cpp common/common.h hostname
constexpr auto kLocalServers = std::to_array<LocalServer>({
    {"uvicorn", "--host", "--uds"},
    {"sglang.launch_server", "--host", "--host"},
    {"flask", "--host", "-h"},
    {"gunicorn", "--bind", "-b"},
    {"tensorboard", "--host", "--bind_all"},
    {"mlflow", "--host", "-h"},
    {"llama-server", "--host", "--host"},
});

/// The words of a program that the spec names: of a shell's script, those that blanks divide.
std::vector<std::string> words_of(const Run& run) {
  std::vector<std::string> words;
  const auto add = [&](std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find_first_of(" \t\n=\"'"), text.size());
      if (end > 0) words.emplace_back(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  };
  if (run.module) add(*run.module);
  for (const Text& word : *run.command) add(*word);
  if (run.shell) add(*run.shell);
  for (const Text& word : *run.args) add(*word);
  return words;
}

/// What the command line says of the address and the port, where it says so in plain words.
void check_is_heard(RuleContext& context, const Run& run, const IntegerMap& exposed) {
  const std::vector<std::string> words = words_of(run);
  const auto has = [&](std::string_view word) {
    return std::ranges::find(words, word) != words.end();
  };
  const auto is_named = [&](const Entry<std::int64_t>& port) {
    return std::ranges::any_of(words, [&](const std::string& word) {
      return word.find(std::to_string(*port.value)) != word.npos;
    });
  };
  const auto option = std::ranges::find(words, "--port");
  if (option != words.end() && option + 1 != words.end() &&
      option[1].find_first_not_of("0123456789") == std::string::npos &&
      std::ranges::none_of(*exposed, is_named)) {
    context
        .report(DiagnosticKind::RunsWrong, exposed->front().value.span,
                "the program listens at port " + option[1] +
                    ", by its `--port`, and the role exposes " +
                    std::to_string(*exposed->front().value))
        .note("let both agree: the pod is ready when the exposed port takes connections");
  }
  for (const LocalServer& each : kLocalServers) {
    const auto is_server = [&](const std::string& word) {
      return word.substr(word.rfind('/') + 1) == each.name;
    };
    if (std::ranges::none_of(words, is_server)) continue;
    if (has(each.option) || has(each.short_option) || has("0.0.0.0")) continue;
    context
        .report(DiagnosticKind::RunsWrong, exposed->front().value.span,
                code(each.name) + " listens at 127.0.0.1 without " + code(each.option) +
                    ": no other pod reaches this port, and the pod is never ready")
        .note("add " + code(std::string(each.option) + " 0.0.0.0") + " to its arguments");
  }
}

void run(RuleContext& context) {
  if (context.program == nullptr || context.program->expose->empty()) return;
  Role& role = *context.roles.front().role;
  Tree& tree = context.tree();
  const IntegerMap& exposed = context.program->expose;
  if (!role.ports) {
    const OriginId origin = context.from(exposed);
    context.set(role.ports, tree.add_seq(origin), origin);
  }
  for (const Entry<std::int64_t>& port : *exposed) {
    check_is_free(context, port);
    const OriginId origin = context.from(port.value);
    const NodeId entry = tree.add_map(origin);
    tree.append(entry, "name", tree.add_string(port.key, origin));
    tree.append(entry, "containerPort", tree.add_int(*port.value, origin));
    tree.append(entry, "protocol", tree.add_string("TCP", context.because({origin})));
    tree.append(*role.ports, entry);
  }
  probe(context, role, exposed->front());
  check_is_heard(context, *context.of(context.roles.front(), &RoleFields::run), exposed);
}

}  // namespace

extern const Rule exposed_ports_rule{
    "exposed-ports",
    Rule::Phase::Infer,
    "A role's ports are those of its container, and the role is ready when the first of them takes "
    "connections; of ranks that meet, when it does in the first pod.",
    "A role that starts after a server has to find it listening; without a probe a pod is ready as "
    "soon as its container runs (kubernetes/website "
    "content/en/docs/concepts/workloads/pods/pod-lifecycle.md).",
    "spec.roles spec.run plan.framework plan.rendezvous role.partPods role.ports",
    "role.ports role.readiness",
    run,
    Rule::Unit::Program};

}  // namespace trainyard
