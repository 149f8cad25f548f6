#include "lints/launch/service_numbers.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/check.h"
#include "diag/words.h"
#include "lints/serving/service_pods.h"
#include "lints/tables.h"
#include "manifest/metadata.h"
#include "shell/command_line.h"
#include "shell/script_commands.h"
#include "source/characters.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

bool is_of_host(char c) {
  return is_lower(c) || is_digit(c) || c == '-' || c == '.';
}

/// `nats:4222` in a text.
struct HostPort {
  std::string_view host;
  std::string_view port;
  std::size_t begin = 0;
  std::size_t end = 0;
};

std::vector<HostPort> hosts_with_ports(std::string_view text) {
  std::vector<HostPort> found;
  for (std::size_t colon = text.find(':'); colon != text.npos; colon = text.find(':', colon + 1)) {
    std::size_t begin = colon;
    while (begin > 0 && is_of_host(text[begin - 1])) --begin;
    std::size_t end = colon + 1;
    while (end < text.size() && is_digit(text[end])) ++end;
    const std::size_t digits = end - colon - 1;
    if (begin == colon || digits < 2 || digits > 5) continue;
    if (text[begin] < 'a' || text[begin] > 'z') continue;
    // Not of a longer word, such as that of an image.
    constexpr std::string_view kBefore = " /@,=\"'(\n\t";
    constexpr std::string_view kBehind = " /,\"')\n\t?;";
    const bool begins = begin == 0 || kBefore.find(text[begin - 1]) != kBefore.npos;
    const bool ends = end == text.size() || kBehind.find(text[end]) != kBehind.npos;
    if (!begins || !ends) continue;
    found.push_back(
        {text.substr(begin, colon - begin), text.substr(colon + 1, digits), begin, end});
  }
  return found;
}

/// The namespace that the rest of a host's name leads to; nothing where it leads to no Service.
std::optional<std::string_view> space_of(std::string_view rest, std::string_view own) {
  if (rest.empty()) return own;
  rest.remove_prefix(1);
  const std::size_t dot = std::min(rest.find('.'), rest.size());
  const std::string_view behind = rest.substr(dot);
  if (behind == ".svc" || behind == ".svc.cluster.local") return rest.substr(0, dot);
  const bool is_own = behind.empty() && !own.empty() && rest == own;
  return is_own ? std::optional(own) : std::nullopt;
}

/// NVIDIA/k8s-nim-operator api/apps/v1alpha1/nimservice_types.go: a Service of the same name.
bool has_port_of_nim(View service, std::int64_t number) {
  return integer_at(get(get(get(service, "spec"), "expose"), "service"), "port").value_or(8000) ==
         number;
}

/// False after a finding.
bool check_place(std::string_view host, std::string_view port, const WordView& at,
                 std::string_view own, CheckContext& context) {
  const std::size_t dot = std::min(host.find('.'), host.size());
  const auto space = space_of(host.substr(dot), own);
  const auto number = plain_number(port);
  const Inventory* inventory = space && number ? context.inventory() : nullptr;
  if (inventory == nullptr) return true;
  const std::string_view name = host.substr(0, dot);
  const View service = inventory->find("", "Service", *space, name);
  const View nim =
      service ? View() : inventory->find("apps.nvidia.com", "NIMService", *space, name);
  View ports = get(get(service, "spec"), "ports");
  if (nim) {
    if (has_port_of_nim(nim, *number)) return true;
    ports = get(nim, "spec");
  } else {
    const View spec = get(service, "spec");
    const bool is_headless = string_at(spec, "clusterIP") == "None";
    if (!has_items(ports) || is_headless || string_at(spec, "type") == "ExternalName") return true;
    const bool leads = std::ranges::any_of(
        Items(ports), [&](View each) { return integer_at(each, "port") == number; });
    if (leads) return true;
  }
  context.lint(at, "Service " + shown(name) + " has no port " + std::string(port))
      .also(context.place(ports), "the ports that it has");
  return false;
}

}  // namespace

void check_service_ports(View value, CheckContext& context) {
  const std::string_view text = string_of(value);
  if (text.find(':') == text.npos) return;
  for (const HostPort& each : hosts_with_ports(text)) {
    const WordView at(value, each.begin, each.end);
    if (!check_place(each.host, each.port, at, metadata_namespace(context.object()), context))
      return;
  }
}

namespace {

/// Whether a word stands in the document as it is: nothing of it was kept in a variable.
bool is_written(const ShellWord& word) {
  const std::string_view all = string_of(word.at);
  const bool is_whole = word.at.end == 0 || word.at.end > all.size();
  return is_whole || all.substr(word.at.begin, word.at.end - word.at.begin).find('$') == all.npos;
}

/// `nc -z HOST PORT`, and words with what a script keeps in variables.
void ports_of_commands(View container, CheckContext& context) {
  static constexpr std::string_view kNetcat = "nc ", kOther = "netcat", kVariable = "$";
  const bool may = contains_text(container, kNetcat) || contains_text(container, kOther) ||
                   contains_text(container, kVariable);
  if (!may) return;
  const ShellWords words = command_words(container);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view text = words[i].text;
    if (!is_written(words[i]) && text.find(':') != text.npos) {
      for (const HostPort& each : hosts_with_ports(text)) {
        if (!check_place(each.host, each.port, words[i].at, metadata_namespace(context.object()),
                         context))
          return;
      }
    }
    const std::string_view program = program_name(text);
    if (program != "nc" && program != "ncat" && program != "netcat") continue;
    std::size_t k = i + 1;
    while (k < words.size() && words[k].text.starts_with('-') && words[k].text != "-w") ++k;
    if (k + 1 >= words.size() || !std::ranges::all_of(words[k].text, is_of_host)) continue;
    if (plain_number(words[k].text)) continue;
    const bool told = !check_place(words[k].text, words[k + 1].text, words[k + 1].at,
                                   metadata_namespace(context.object()), context);
    if (told) return;
  }
}

void service_numbers(const Pod& pod, CheckContext& context) {
  if (context.is_ours()) return;
  for (const PodContainer& each : pod.containers) {
    const std::size_t before = context.findings();
    for (View variable : items_at(each.node, "env"))
      check_service_ports(get(variable, "value"), context);
    for (std::string_view list : {"command", "args"}) {
      for (View argument : items_at(each.node, list)) check_service_ports(argument, context);
    }
    if (context.findings() == before) ports_of_commands(each.node, context);
  }
}

/// Addresses in files of settings, by the whole name of a Service.
void numbers_of_files(View config_map, CheckContext& context) {
  if (context.is_ours()) return;
  for (View entry : entries_at(config_map, "data")) {
    const std::string_view text = string_of(entry);
    if (text.find(".svc") == text.npos) continue;
    for (const HostPort& each : hosts_with_ports(text)) {
      if (each.host.find(".svc") == each.host.npos) continue;
      const WordView at(entry, each.begin, each.end);
      if (!check_place(each.host, each.port, at, metadata_namespace(context.object()), context))
        break;
    }
  }
}

/// Where a server says itself at which port its health is asked for.
void check_health_port(View container, std::int64_t port, const WordView& at, std::string_view who,
                       CheckContext& context) {
  for (std::string_view name : {"startupProbe", "readinessProbe", "livenessProbe"}) {
    const View asked = get(get(get(container, name), "httpGet"), "port");
    const auto number = asked_port(asked, container);
    if (!number || *number == port) continue;
    context
        .lint(asked, "the probe asks at " + std::to_string(*number) + ", and " + std::string(who) +
                         " answers at " + std::to_string(port))
        .also(context.place(at), "its port");
    return;
  }
}

/// ai-dynamo/dynamo: `DYN_SYSTEM_PORT` is where `/live` and `/health` are, also from a ConfigMap.
void check_dynamo(View container, CheckContext& context) {
  if (!contains_text(container, "dynamo.")) return;
  View port = variable_value(container, "DYN_SYSTEM_PORT");
  const Inventory* inventory = context.inventory();
  for (View each : items_at(container, "envFrom")) {
    const std::string_view name = string_at(get(each, "configMapRef"), "name");
    if (port || inventory == nullptr || name.empty()) continue;
    const std::string_view own = string_at(get(context.object(), "metadata"), "namespace");
    port = get(get(inventory->find("", "ConfigMap", own, name), "data"), "DYN_SYSTEM_PORT");
  }
  const auto number = port ? plain_number(string_of(port)) : std::nullopt;
  if (number) check_health_port(container, *number, port, "Dynamo", context);
}

/// nats-io/nats-server: `-m` is the port for monitoring, where `/healthz` is.
void check_nats(View container, CheckContext& context) {
  const std::string_view image = string_at(container, "image");
  if (!image.starts_with("nats:") && image.find("/nats:") == image.npos) return;
  const std::vector<View> words(items_at(container, "args").begin(),
                                items_at(container, "args").end());
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string_view word = string_of(words[i]);
    if (word != "-m" && word != "--http_port") continue;
    if (const auto number = plain_number(string_of(words[i + 1]))) {
      check_health_port(container, *number, words[i + 1], "NATS", context);
    }
  }
}

/// etcd-io/etcd server/embed/config.go: addresses are URLs; others reach none on the loopback.
void check_etcd(View container, CheckContext& context) {
  const std::string_view image = string_at(container, "image");
  if (image.find("etcd") == image.npos) return;
  for (std::string_view list : {"command", "args"}) {
    for (View word : items_at(container, list)) {
      const std::string_view text = string_of(word);
      const std::string_view value = text.substr(std::min(text.find('=') + 1, text.size()));
      const bool is_url =
          text.starts_with("--listen-client-urls=") || text.starts_with("--advertise-client-urls=");
      if (!is_url || value.empty() || value.find('$') != value.npos) continue;
      if (value.find("://") == value.npos) {
        context.lint(word, "etcd wants URLs: " + shown("http://" + std::string(value)));
      } else if (text.starts_with("--listen") && value.find(',') == value.npos &&
                 (value.find("//127.0.0.1") != value.npos ||
                  value.find("//localhost") != value.npos) &&
                 has_items(get(container, "ports"))) {
        context.lint(word, "etcd listens on its own loopback alone, and pods ask at its port");
      }
    }
  }
}

void side_servers(const Pod& pod, CheckContext& context) {
  for (const PodContainer& each : pod.containers) {
    check_dynamo(each.node, context);
    check_nats(each.node, context);
    check_etcd(each.node, context);
  }
}

constexpr Check kChecks[] = {
    {.name = "service-number",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "core ConfigMap",
     .sentence = "A port behind the name of a Service of the inputs is one of its ports.",
     .source = "kubernetes/website content/en/docs/concepts/services-networking/service.md",
     .pod = service_numbers,
     .object = numbers_of_files,
     .severity = Severity::Warning,
     .because = "Nothing answers there: the program waits, or ends with an error.",
     .fix = "write a `port` of the Service; `targetPort` is for its pods"},
    {.name = "side-server-port",
     .group = CheckGroup::Serving,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "Servers beside a model listen where their probes and other pods ask.",
     .source = "ai-dynamo/dynamo docs of health checks; nats-io/nats-server server/opts.go; "
               "etcd-io/etcd server/embed/config.go",
     .pod = side_servers,
     .severity = Severity::Warning,
     .because = "The pod never becomes ready, or other pods do not reach the server.",
     .fix = "let the server and the probe say the same port, and the server listen at `0.0.0.0`"},
};

}  // namespace

const std::span<const Check> service_number_lints = kChecks;

}  // namespace trainyard
