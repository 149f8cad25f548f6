// Ports at which a known program listens, and those at which its pod is asked.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "lints/serving/service_pods.h"
#include "lints/tables.h"
#include "manifest/launches.h"
#include "manifest/metadata.h"
#include "shell/command_line.h"
#include "shell/script_commands.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Where the program of a container takes connections.
struct Listener {
  std::string_view program;
  std::int64_t port = 0;
  WordView at;                 // what says the port, or the program
  bool is_local_only = false;  // at the address that only the pod itself reaches
  WordView host = {};          // what says so
};

bool is_loopback(std::string_view host) {
  return host == "localhost" || host == "127.0.0.1" || host == "::1";
}

/// A server that says its place by options.
struct Server {
  std::string_view program;
  std::string_view port_option;
  std::int64_t port;  // by default
  std::string_view host_option;
  std::string_view command = {};  // behind the program; "" for none
  bool is_local_only = false;     // by default
};

// tensorflow/tensorboard tensorboard/plugins/core/core_plugin.py; encode/uvicorn uvicorn/main.py;
// mlflow/mlflow mlflow/cli.py
constexpr auto kServers = std::to_array<Server>({
    {"tensorboard", "--port", 6006, "--host"},
    {"uvicorn", "--port", 8000, "--host"},
    {"mlflow", "--port", 5000, "--host", "server", true},
});

/// Whether every word of a command is written down, and none is a file of settings.
bool is_plain(std::span<const ShellWord> words) {
  return std::ranges::none_of(words, [](const ShellWord& word) {
    return word.text.find_first_of("$`") != word.text.npos || word.text == "--port=0" ||
           word.text == "--load_fast" || word.text == "--fd" || word.text == "--uds" ||
           word.text.ends_with("-opts") || word.text == "-p";
  });
}

std::optional<Listener> by_options(std::span<const ShellWord> words) {
  const std::size_t at = place_of_program(words);
  if (at >= words.size()) return std::nullopt;
  const auto server = std::ranges::find(kServers, program_name(words[at].text), &Server::program);
  if (server == kServers.end()) return std::nullopt;
  const bool is_it =
      server->command.empty() || (at + 1 < words.size() && words[at + 1].text == server->command);
  if (!is_it) return std::nullopt;
  Listener found{.program = server->program, .port = server->port, .at = words[at].at};
  found.is_local_only = server->is_local_only;
  if (found.is_local_only) found.host = found.at;
  for (std::size_t i = at + 1; i < words.size(); ++i) {
    const std::string_view option = words[i].text.substr(0, words[i].text.find('='));
    const OptionValue value = value_at(words, i);
    if (option == server->port_option) {
      const auto number = value.number();
      if (!number) return std::nullopt;
      found.port = *number;
      found.at = value.at;
    }
    if (option == server->host_option || (server->is_local_only && option == "-h")) {
      found.is_local_only = is_loopback(value.text);
      found.host = found.is_local_only ? value.at : WordView();
    }
  }
  return found;
}

/// `python -m http.server 8000`
std::optional<Listener> by_module(std::span<const ShellWord> words) {
  const std::size_t at = place_of_program(words);
  const bool is_it = at + 2 < words.size() && program_name(words[at].text).starts_with("python") &&
                     words[at + 1].text == "-m" && words[at + 2].text == "http.server";
  if (!is_it) return std::nullopt;
  Listener found{.program = "http.server", .port = 8000, .at = words[at + 2].at};
  for (std::size_t i = at + 3; i < words.size(); ++i) {
    const auto number = plain_number(words[i].text);
    const bool is_value = words[i - 1].text.starts_with('-');
    if (!number || is_value) continue;
    found.port = *number;
    found.at = words[i].at;
  }
  return found;
}

/// The exporters of Prometheus say their place by one option; without `command` the image starts
/// them.
std::optional<Listener> by_exporter(View container) {
  constexpr std::string_view kOption = "--web.listen-address";
  for (View argument : arguments_of(container)) {
    const std::string_view text = string_of(argument);
    if (!text.starts_with(kOption) || text.find('$') != text.npos) continue;
    const std::size_t colon = text.rfind(':');
    const auto port = colon == text.npos ? std::nullopt : plain_number(text.substr(colon + 1));
    if (port) return Listener{.program = "the exporter", .port = *port, .at = argument};
  }
  return std::nullopt;
}

std::optional<Listener> by_sshd(View container) {
  const std::vector<Sshd> all = sshds_in(container);
  if (all.size() != 1 || !all.front().port || !all.front().is_last) return std::nullopt;
  return Listener{.program = "sshd", .port = *all.front().port, .at = all.front().at};
}

/// The one server that a container consists of.
std::optional<Listener> listener_of(View container) {
  if (auto exporter = by_exporter(container)) return exporter;
  if (!has_items(get(container, "command"))) return std::nullopt;
  if (auto sshd = by_sshd(container)) return sshd;
  const ShellWords words = command_words(container);
  std::size_t commands = 0;
  std::span<const ShellWord> only;
  each_command(words, [&](std::span<const ShellWord> command) {
    ++commands;
    only = command;
  });
  const bool in_shell = std::ranges::any_of(words, &ShellWord::is_in_script);
  if (commands != 1 || in_shell || !is_plain(only)) return std::nullopt;
  auto found = by_options(only);
  return found ? found : by_module(only);
}

void report(View asked, std::string_view what, std::int64_t port, const Listener& listener,
            CheckContext& context) {
  const bool is_other = port != listener.port;
  const std::string message =
      is_other ? std::string(what) + " asks at " + std::to_string(port) + ", and " +
                     std::string(listener.program) + " listens at " + std::to_string(listener.port)
               : std::string(what) + " asks at the address of the pod, and " +
                     std::string(listener.program) + " listens at " +
                     shown(listener.host ? "127.0.0.1" : "localhost") + " alone";
  context.lint(asked, message)
      .also(context.place(is_other ? listener.at : listener.host), "what says so");
}

void check_probes(View container, const Listener& listener, CheckContext& context) {
  for (std::string_view key : {"startupProbe", "livenessProbe", "readinessProbe"}) {
    for (std::string_view kind : {"httpGet", "tcpSocket"}) {
      const View probe = get(get(container, key), kind);
      const View port = get(probe, "port");
      const auto number = asked_port(port, container);
      if (!number || get(probe, "host")) continue;
      if (*number == listener.port && !listener.is_local_only) continue;
      report(port, "`" + std::string(key) + "`", *number, listener, context);
      return;
    }
  }
}

/// Services of one name for several pods, or for ports that other programs add, say nothing.
void check_services(const Pod& pod, View container, const Listener& listener,
                    CheckContext& context) {
  if (pod.containers.size() != 1 || pod.has(kAddsContainers)) return;
  for (const auto& [service, target] : served_ports(pod, context)) {
    const auto number = asked_port(target, container);
    if (!number || (*number == listener.port && !listener.is_local_only)) continue;
    context
        .lint(listener.host ? listener.host : listener.at,
              "Service " + shown(string_of(metadata_name(service))) + " leads to port " +
                  std::to_string(*number) + " of these pods, and " + std::string(listener.program) +
                  " listens at " +
                  (listener.is_local_only ? "127.0.0.1" : std::to_string(listener.port)))
        .also(context.place(target), "the port of the Service");
    return;
  }
}

void listening_port(const Pod& pod, CheckContext& context) {
  for (const PodContainer& each : pod.containers) {
    const bool is_asked = get(each.node, "readinessProbe") || get(each.node, "startupProbe") ||
                          get(each.node, "livenessProbe");
    const bool may_serve = pod.containers.size() == 1 && has_items(get(each.node, "ports"));
    if (!is_asked && !may_serve) continue;
    const auto listener = listener_of(each.node);
    if (!listener) continue;
    const std::size_t before = context.findings();
    if (is_asked) check_probes(each.node, *listener, context);
    if (context.findings() == before) check_services(pod, each.node, *listener, context);
  }
}

constexpr Check kChecks[] = {
    {.name = "listening-port",
     .group = CheckGroup::Core,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "Probes and Services ask for the port at which a known program listens.",
     .source = "tensorflow/tensorboard tensorboard/plugins/core/core_plugin.py; encode/uvicorn "
               "uvicorn/main.py; python/cpython Lib/http/server.py; openssh/openssh-portable "
               "sshd.8; prometheus/exporter-toolkit web/kingpinflag/flag.go",
     .pod = listening_port,
     .severity = Severity::Warning,
     .because =
         "No program answers there: the pod never gets ready, is started again and again, or "
         "its Service leads nowhere.",
     .fix = "write the same port in all places, and let the program listen at `0.0.0.0`"},
};

}  // namespace

const std::span<const Check> listening_port_lints = kChecks;

}  // namespace trainyard
