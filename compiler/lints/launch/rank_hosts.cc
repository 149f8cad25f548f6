#include "lints/launch/rank_hosts.h"

#include <algorithm>

#include "shell/command_line.h"
#include "source/characters.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// What a text has besides a host; "" for nothing, and for an IPv6 address.
std::string_view more_than_host(std::string_view text) {
  if (text.find("://") != text.npos) return "a scheme";
  const std::size_t colon = text.find(':');
  if (colon == text.npos || text.rfind(':') != colon) return {};
  return plain_number(text.substr(colon + 1)) ? "a port" : "";
}

}  // namespace

Host host_of(std::string text, const WordView& at) {
  if (const std::size_t scheme = text.find("://"); scheme != std::string::npos) {
    text.erase(0, scheme + 3);
  }
  text.resize(std::min(text.find(':'), text.size()));
  const std::size_t dot = std::min(text.find('.'), text.size());
  Host host{text.substr(0, dot), {}, {}, at};
  if (dot == text.size()) return host;
  host.domain = text.substr(dot + 1);
  const std::size_t end = std::min(host.domain.find('.'), host.domain.size());
  std::string rest = host.domain.substr(std::min(end + 1, host.domain.size()));
  host.domain.resize(end);
  const std::size_t next = std::min(rest.find('.'), rest.size());
  if (next == rest.size() || rest.substr(next) == ".svc" ||
      rest.substr(next).starts_with(".svc.")) {
    host.domain_of_cluster = rest.substr(std::min(next + 5, rest.size()));
    rest.resize(next);
    host.name_space = rest;
  }
  return host;
}

bool is_plain_host(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    // `-`, `.`, `/`, digits, `:`; and `_`, which no name of a pod or a Service has.
    return is_lower(c) || (c >= '-' && c <= ':') || c == '_';
  });
}

std::vector<Host> hosts_in(View container) {
  std::vector<Host> hosts;
  for (std::string_view name :
       {"MASTER_ADDR", "PET_MASTER_ADDR", "PET_RDZV_ENDPOINT", "JAX_COORDINATOR_ADDRESS",
        "JAX_COORDINATOR_IP", "COORDINATOR_ADDRESS", "COORDINATOR"}) {
    const View value = variable_value(container, name);
    if (!value || !is_plain_host(value->text)) continue;
    hosts.push_back(host_of(std::string(value->text), value));
    hosts.back().from = name;
    if (name.ends_with("MASTER_ADDR")) hosts.back().more = more_than_host(value->text);
  }
  if (const auto call = torchrun_call(container)) {
    for (std::string_view name : {"master-addr", "rdzv-endpoint"}) {
      const OptionValue& value = call->option(name);
      if (!is_plain_host(value.text)) continue;
      hosts.push_back(host_of(value.text, value.at));
      hosts.back().from = name;
      if (name == "master-addr") hosts.back().more = more_than_host(value.text);
    }
  }
  const auto add = [&](const OptionValue& value, std::string_view name) {
    if (!is_plain_host(value.text)) return;
    hosts.push_back(host_of(value.text, value.at));
    hosts.back().from = name;
  };
  if (const auto call = accelerate_call(container)) {
    add(call->option("main-process-ip"), "main-process-ip");
  }
  if (const auto call = deepspeed_call(container); call && call->option("no-ssh")) {
    add(call->option("master-addr"), "master-addr");
  }
  return hosts;
}

View service_named(const Workload& workload, std::string_view name, CheckContext& context) {
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return {};
  return inventory->find("", "Service", string_at(get(workload.object, "metadata"), "namespace"),
                         name);
}

std::string start_of(const WorkloadRole& role) {
  const std::string lower = lower_case(role.name);
  return lower.empty() ? lower : lower + "-";
}

bool is_called_as_pod(const Workload& workload, std::string_view host) {
  const std::string_view name = string_at(get(workload.object, "metadata"), "name");
  if (name.empty() || !host.starts_with(name)) return false;
  host.remove_prefix(name.size());
  if (!host.starts_with('-')) return false;
  host.remove_prefix(1);
  return std::ranges::any_of(workload.roles, [&](const WorkloadRole& role) {
    const std::string start = start_of(role);
    return host.starts_with(start) && host.size() > start.size() &&
           host.find_first_not_of("0123456789-", start.size()) == host.npos;
  });
}

}  // namespace trainyard
