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
#include "shell/command_line.h"
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

/// Whether the rest of a host's name leads to a Service in this namespace.
bool is_here(std::string_view rest, std::string_view own) {
  if (rest.empty()) return true;
  if (own.empty() || !rest.substr(1).starts_with(own)) return false;
  const std::string_view behind = rest.substr(1 + own.size());
  return behind.empty() || behind == ".svc" || behind == ".svc.cluster.local";
}

}  // namespace

void check_service_ports(View value, CheckContext& context) {
  const std::string_view text = string_of(value);
  if (text.find(':') == text.npos) return;
  const std::vector<HostPort> hosts = hosts_with_ports(text);
  const Inventory* inventory = hosts.empty() ? nullptr : context.inventory();
  if (inventory == nullptr) return;
  const std::string_view own = string_at(get(context.object(), "metadata"), "namespace");
  for (const HostPort& each : hosts) {
    const std::size_t dot = std::min(each.host.find('.'), each.host.size());
    if (!is_here(each.host.substr(dot), own)) continue;
    const View service = inventory->find("", "Service", own, each.host.substr(0, dot));
    const View spec = get(service, "spec");
    const View ports = get(spec, "ports");
    const bool is_headless = string_at(spec, "clusterIP") == "None";
    if (!has_items(ports) || is_headless || string_at(spec, "type") == "ExternalName") continue;
    const auto number = plain_number(each.port);
    const bool leads = std::ranges::any_of(
        Items(ports), [&](View port) { return integer_at(port, "port") == number; });
    if (leads) continue;
    context
        .lint(WordView(value, each.begin, each.end), "Service " + shown(each.host.substr(0, dot)) +
                                                         " has no port " + std::string(each.port))
        .also(context.place(ports), "the ports that it has");
    return;
  }
}

namespace {

void service_numbers(const Pod& pod, CheckContext& context) {
  if (context.is_ours()) return;
  for (const PodContainer& each : pod.containers) {
    for (View variable : items_at(each.node, "env"))
      check_service_ports(get(variable, "value"), context);
    for (std::string_view list : {"command", "args"}) {
      for (View argument : items_at(each.node, list)) check_service_ports(argument, context);
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
     .sentence = "A port behind the name of a Service of the inputs is one of its ports.",
     .source = "kubernetes/website content/en/docs/concepts/services-networking/service.md",
     .pod = service_numbers,
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
