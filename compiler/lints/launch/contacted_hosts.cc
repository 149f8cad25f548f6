// Hosts that containers wait for and talk to, as far as the inputs make them.

#include "lints/launch/contacted_hosts.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/check.h"
#include "check/typos.h"
#include "diag/words.h"
#include "lints/launch/account_rights.h"
#include "lints/tables.h"
#include "shell/command_line.h"
#include "shell/script_commands.h"
#include "source/characters.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

bool is_of_name(char c) {
  return is_lower(c) || is_digit(c) || c == '-' || c == '.';
}

/// A name in DNS: no number, no address, no variable.
bool is_host(std::string_view text) {
  return !text.empty() && text.front() >= 'a' && text.front() <= 'z' &&
         std::ranges::all_of(text, is_of_name);
}

/// Of `mlflow:5000/path` the host; "" where it is none that is written down.
std::string_view host_at(std::string_view text) {
  const auto end = std::ranges::find_if_not(text, is_of_name);
  const std::string_view host(text.begin(), end);
  const bool ends =
      end == text.end() || std::string_view(":/?,;'\")\\ ").find(*end) != std::string_view::npos;
  return ends && is_host(host) ? host : std::string_view();
}

/// The hosts of URLs in a text.
void add_urls(std::string_view text, const WordView& at, std::vector<AskedHost>& found) {
  constexpr std::string_view kScheme = "://";
  for (std::size_t i = text.find(kScheme); i != text.npos; i = text.find(kScheme, i + 1)) {
    std::string_view rest = text.substr(i + kScheme.size());
    const std::size_t user = rest.substr(0, rest.find('/')).find('@');
    if (user != rest.npos) rest.remove_prefix(user + 1);
    if (const std::string_view host = host_at(rest); !host.empty()) {
      found.push_back({std::string(host), at});
    }
  }
}

/// Programs whose first argument that is no option is a host.
bool asks_for_host(std::string_view program) {
  constexpr auto programs = std::to_array<std::string_view>(
      {"nslookup", "ping", "nc", "ncat", "netcat", "telnet", "dig", "host", "wait-for-it",
       "wait-for-it.sh", "wait-for", "wait-for.sh"});
  return std::ranges::find(programs, program_name(program)) != programs.end();
}

/// The host that the command at `first` is about; the words of it end with the line.
void add_asked(std::span<const ShellWord> words, std::size_t first, std::vector<AskedHost>& found) {
  for (std::size_t i = first + 1; i < words.size() && words[i].text != "\n"; ++i) {
    const std::string_view host = host_at(words[i].text);
    if (host.empty()) continue;
    found.push_back({std::string(host), words[i].at});
    return;
  }
}

/// Whether a word is the first one of a command, as far as shells write it.
bool begins_command(std::span<const ShellWord> words, std::size_t i) {
  constexpr auto before = std::to_array<std::string_view>(
      {"\n", "until", "while", "if", "!", "do", "then", "-c", "&&", "||", ";"});
  return i == 0 || std::ranges::find(before, words[i - 1].text) != before.end();
}

/// Whether a text may ask for a host. One without a blank is one word.
bool may_ask(View argument) {
  const std::string_view text = argument->text;
  constexpr auto of_words = std::to_array<std::string_view>({"://", "/dev/tcp/"});
  constexpr auto of_scripts =
      std::to_array<std::string_view>({"nslookup", "ping", "nc ", "ncat", "netcat", "telnet",
                                       "dig ", "host ", "getent", "wait-for"});
  const auto is_there = [text](std::string_view sign) { return text.find(sign) != text.npos; };
  if (std::ranges::any_of(of_words, is_there)) return true;
  const bool is_word =
      std::ranges::none_of(text, [](char c) { return c == ' ' || c == '\t' || c == '\n'; });
  return is_word ? text == "getent" || asks_for_host(text)
                 : std::ranges::any_of(of_scripts, is_there);
}

void add_of_command(View container, std::vector<AskedHost>& found) {
  const ShellWords words = command_words(container);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view text = words[i].text;
    add_urls(text, words[i].at, found);
    constexpr std::string_view kDevice = "/dev/tcp/";
    if (const std::size_t device = text.find(kDevice); device != text.npos) {
      const std::string_view host = host_at(text.substr(device + kDevice.size()));
      if (!host.empty()) found.push_back({std::string(host), words[i].at});
    }
    const bool looks_up = text == "hosts" || text == "ahosts" || text == "ahostsv4";
    if (i > 0 && looks_up && words[i - 1].text == "getent") add_asked(words, i, found);
    if (asks_for_host(text) && begins_command(words, i)) add_asked(words, i, found);
  }
}

/// `REDIS_HOST`, `MASTER_ADDR`: variables that hold a host, with a port or without.
bool names_host(std::string_view variable) {
  return std::ranges::any_of(
      std::to_array<std::string_view>({"_HOST", "_ADDR", "_ADDRESS", "_ENDPOINT", "_SERVER"}),
      [&](std::string_view end) { return variable.ends_with(end); });
}

}  // namespace

std::vector<AskedHost> asked_hosts(View container) {
  std::vector<AskedHost> found;
  for (View each : items_at(container, "env")) {
    const View value = get(each, "value");
    const std::string_view text = string_of(value);
    if (text.empty()) continue;
    add_urls(text, value, found);
    if (!names_host(string_at(each, "name"))) continue;
    const std::string_view host = host_at(text);
    if (!host.empty()) found.push_back({std::string(host), value});
  }
  if (any_argument(container, may_ask)) add_of_command(container, found);
  return found;
}

namespace {

/// The namespace in which a host is looked for; nothing where the name is none of a Service.
std::optional<std::string_view> space_of(const AskedHost& host, std::string_view own) {
  const std::string_view rest = host.rest();
  if (rest.empty()) return own;
  const std::size_t dot = rest.find('.');
  const std::string_view behind = dot == rest.npos ? std::string_view() : rest.substr(dot + 1);
  if (!behind.empty() && behind != "svc" && behind != "svc.cluster.local") return std::nullopt;
  return rest.substr(0, dot);
}

/// Names that controllers give begin with that of their object.
bool is_of_object(View object, std::string_view host) {
  const std::string_view name = string_at(get(object, "metadata"), "name");
  return !name.empty() && host.starts_with(name) &&
         (host.size() == name.size() || host[name.size()] == '-');
}

/// `api` where the Service of that name is in another namespace.
bool tell_of_other_namespace(const AskedHost& host, std::string_view space,
                             const Inventory& inventory, CheckContext& context) {
  const View other = find_in_other_namespace(inventory, "", "Service", space, host.label());
  // What stands in other files may be of another cluster.
  if (!other || space.empty() || other->span.file != context.object()->span.file) return false;
  const View where = get(get(other, "metadata"), "namespace");
  context
      .lint(host.at, "no Service " + shown(host.label()) + " is in namespace " + shown(space) +
                         ", but one is in " + shown(where->text))
      .also(context.place(where), "where it is");
  return true;
}

void service_host(const Pod& pod, CheckContext& context) {
  if (context.is_ours()) return;
  const std::string_view own = string_at(get(context.object(), "metadata"), "namespace");
  std::vector<std::string> told;
  for (std::string_view list : {"initContainers", "containers"}) {
    for (View container : items_at(pod.spec, list)) {
      for (const AskedHost& host : asked_hosts(container)) {
        const auto space = space_of(host, own);
        if (!space || is_of_object(context.object(), host.label())) continue;
        const Inventory* inventory = context.inventory();
        if (inventory == nullptr) return;
        if (std::ranges::find(told, host.name) != told.end()) continue;
        if (tell_of_other_namespace(host, *space, *inventory, context)) {
          told.push_back(host.name);
          continue;
        }
        const View near = find_similarly_named(*inventory, "", "Service", *space, host.label());
        if (!near) continue;
        const View name = get(get(near, "metadata"), "name");
        context
            .lint(host.at, "no Service " + shown(host.label()) + " is among the inputs, but " +
                               shown(name->text) + " is")
            .also(context.place(name), "this one");
        told.push_back(host.name);
      }
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "service-host",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "Hosts that containers wait for and talk to are by the names of the Services "
                 "among the inputs.",
     .source = "kubernetes/website content/en/docs/concepts/services-networking/"
               "dns-pod-service.md: a Service is found by its name",
     .pod = service_host,
     .severity = Severity::Warning,
     .because = "The name does not resolve: an init container waits for ever, a program ends with "
                "an error.",
     .fix = "write the name of the Service"},
    {.name = "account-rights",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "What a container asks for with kubectl, a role of its ServiceAccount allows.",
     .source = "kubernetes/website content/en/docs/reference/access-authn-authz/rbac.md",
     .pod = check_account_rights,
     .severity = Severity::Warning,
     .because = "The API server answers `Forbidden`, and kubectl ends with an error.",
     .fix = "add the verb, the resource and its group to a role that is bound to the account"},
};

}  // namespace

const std::span<const Check> asked_host_lints = kChecks;

}  // namespace trainyard
