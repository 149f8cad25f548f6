#include "lints/launch/torchrun_values.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "manifest/launch.h"
#include "shell/command_line.h"
#include "source/characters.h"
#include "source/text_parts.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// As Python's `int` reads it.
bool is_integer(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  text = text.substr(0, text.find_last_not_of(kBlanks) + 1);
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const bool may_be = text.find_first_not_of("0123456789_") == text.npos;
  return may_be && !text.empty() && text.front() != '_' && text.back() != '_';
}

/// What only a shell or the kubelet knows.
bool is_computed(std::string_view text) {
  return text.find_first_of("$`") != text.npos;
}

std::string quoted(std::string_view text) {
  return text.empty() ? "empty" : shown(text);
}

/// A variable of the template that torchrun reads, with the value that it has there.
struct Setting {
  WordView at;  // empty where it is not known here
  std::string_view text;
};

Setting setting(const Workload& workload, const WorkloadRole& role, View container,
                std::string_view name) {
  const View own = variable(container, name);
  if (!own || get(own, "valueFrom") || is_injected(workload, role, container, name)) return {};
  const View value = get(own, "value");
  if (value && (!value->is_scalar() || is_computed(value->text))) return {};
  if (script_sets(container, name)) return {};
  return {value ? value : own, value ? std::string_view(value->text) : std::string_view()};
}

/// Flags are read as numbers, even where the command line has them as well.
void flags(const Workload& workload, const WorkloadRole& role, View container,
           CheckContext& context) {
  for (std::string_view name : {"PET_STANDALONE", "PET_MODULE", "PET_NO_PYTHON", "PET_RUN_PATH"}) {
    const Setting value = setting(workload, role, container, name);
    if (!value.at || is_integer(value.text)) continue;
    context.lint(value.at, shown(name) + " is " + quoted(value.text) +
                               ", and torchrun wants a number there; expected `1` or `0`");
  }
}

struct NumberOption {
  std::string_view option;
  std::string_view variable;
};
constexpr NumberOption kNumbers[] = {{"node-rank", "PET_NODE_RANK"},
                                     {"master-port", "PET_MASTER_PORT"},
                                     {"max-restarts", "PET_MAX_RESTARTS"}};

void numbers(const Workload& workload, const WorkloadRole& role, View container,
             const LauncherCall& call, CheckContext& context) {
  for (const NumberOption& each : kNumbers) {
    if (const OptionValue& own = call.option(each.option)) {
      if (is_computed(own.text) || is_integer(own.text)) continue;
      context.lint(own.at, "`--" + std::string(each.option) + "` is " + shown(own.text) +
                               ", and torchrun wants a number there");
      continue;
    }
    const Setting value = setting(workload, role, container, each.variable);
    if (!value.at || is_integer(value.text) || call.may_have_more) continue;
    context.lint(value.at, shown(each.variable) + " is " + quoted(value.text) +
                               ", and torchrun wants a number there");
  }
}

/// `N` or `MIN:MAX`.
bool is_number_of_nodes(std::string_view text) {
  const std::size_t colon = text.find(':');
  return is_integer(text.substr(0, colon)) &&
         (colon == text.npos || is_integer(text.substr(colon + 1)));
}

void number_of_nodes(const Workload& workload, const WorkloadRole& role, View container,
                     const LauncherCall& call, CheckContext& context) {
  const OptionValue& own = call.option("nnodes");
  const Setting value =
      own ? Setting{own.at, own.text} : setting(workload, role, container, "PET_NNODES");
  if (!value.at || is_computed(value.text) || is_number_of_nodes(value.text)) return;
  if (!own && call.may_have_more) return;
  context.lint(value.at, "the number of nodes is " + quoted(value.text) +
                             "; torchrun wants `N` or `MIN:MAX`");
}

bool is_of_host(char c) {
  return is_alphanumeric(c) || c == '_' || c == '.' || c == ':' || c == '-';
}

/// What is wrong with `host:port`; "" for nothing. Hosts beyond ASCII are left alone.
std::string fault_of_endpoint(std::string_view endpoint, bool needs_port) {
  if (endpoint.starts_with('[')) return {};  // IPv6
  const bool is_ascii = std::ranges::all_of(endpoint, [](char c) { return c > 0; });
  if (!is_ascii) return {};
  if (endpoint.find("://") != endpoint.npos) return "it takes no URL";
  const std::size_t colon = endpoint.rfind(':');
  if (colon == endpoint.npos) {
    if (!std::ranges::all_of(endpoint, is_of_host)) return "no host has such a name";
    return needs_port ? "the static rendezvous needs a port" : "";
  }
  constexpr std::size_t kLongest = 5;
  const std::string_view port = endpoint.substr(colon + 1);
  if (!is_all_digits(port) || port.size() > kLongest) return shown(port) + " is no port";
  const bool is_host = colon != 0 && std::ranges::all_of(endpoint.substr(0, colon), is_of_host);
  return is_host ? "" : "no host has such a name";
}

/// The backend that reads the endpoint; "" where it is not known, or is one of another package,
/// which may read what it likes.
std::string_view known_backend(const Workload& workload, const WorkloadRole& role, View container,
                               const LauncherCall& call) {
  constexpr auto names = std::to_array<std::string_view>({"static", "c10d", "etcd", "etcd-v2"});
  const OptionValue& option = call.option("rdzv-backend");
  std::string_view name = option.text;
  if (!option) {
    if (call.may_have_more || has_items(get(container, "envFrom"))) return {};
    name = string_of(variable_value(container, "PET_RDZV_BACKEND"));
    if (!is_given(workload, role, container, call, "rdzv-backend")) name = "static";
  }
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? std::string_view() : *found;
}

void endpoint(const Workload& workload, const WorkloadRole& role, View container,
              const LauncherCall& call, CheckContext& context) {
  if (call.option("standalone") || variable(container, "PET_STANDALONE")) return;
  const OptionValue& own = call.option("rdzv-endpoint");
  std::string_view text = own.text;
  WordView at = own.at;
  if (!own) {
    const Setting value = setting(workload, role, container, "PET_RDZV_ENDPOINT");
    at = value.at;
    text = value.text;
  }
  if (!at || text.empty() || is_computed(text)) return;
  const std::string_view backend = known_backend(workload, role, container, call);
  if (backend.empty()) return;
  const std::string fault = fault_of_endpoint(text, backend == "static");
  if (fault.empty()) return;
  context.lint(at, "torchrun cannot read the endpoint " + shown(text) + ": " + fault);
}

}  // namespace

void check_torchrun_values(const Workload& workload, CheckContext& context) {
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      const auto call = torchrun_call(container);
      if (!call) continue;
      flags(workload, role, container, context);
      numbers(workload, role, container, *call, context);
      number_of_nodes(workload, role, container, *call, context);
      endpoint(workload, role, container, *call, context);
    }
  }
}

}  // namespace trainyard
