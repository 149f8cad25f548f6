#include "lints/launch/rank_ports.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "diag/words.h"
#include "lints/launch/rank_hosts.h"
#include "manifest/launch.h"
#include "shell/command_line.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// The port at which rank 0 should listen.
struct Address {
  std::string host;
  OptionValue port;
};

std::vector<Address> addresses_in(const Workload& workload, const WorkloadRole& role,
                                  View container) {
  constexpr std::pair<std::string_view, std::string_view> variables[] = {
      {"MASTER_ADDR", "MASTER_PORT"},
      {"PET_MASTER_ADDR", "PET_MASTER_PORT"},
      {"JAX_COORDINATOR_IP", "JAX_COORDINATOR_PORT"}};
  std::vector<Address> found;
  const auto whole = [&](const std::string& text, const WordView& at) {  // `host:port`
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos) return;
    found.push_back({text.substr(0, colon), {text.substr(colon + 1), at}});
  };
  for (const auto& [host, port] : variables) {
    const View name = variable_value(container, host);
    const View number = variable_value(container, port);
    if (!name || !number || is_injected(workload, role, container, host)) continue;
    found.push_back({std::string(name->text), {std::string(number->text), number}});
  }
  for (std::string_view name : {"PET_RDZV_ENDPOINT", "JAX_COORDINATOR_ADDRESS"}) {
    if (const View value = variable_value(container, name)) whole(std::string(value->text), value);
  }
  if (const auto call = torchrun_call(container)) {
    const OptionValue endpoint = call->option("rdzv-endpoint");
    whole(endpoint.text, endpoint.at);
    found.push_back({call->option("master-addr").text, call->option("master-port")});
  }
  return found;
}

/// A Service with an address of its own passes on its ports only; names of a headless one lead to
/// the pods themselves.
bool passes_on_ports(View service) {
  const View spec = get(service, "spec");
  return has_items(get(spec, "ports")) && string_at(spec, "clusterIP") != "None";
}

/// The port of rank 0 that a container gives torchrun on its command line, as far as no endpoint
/// counts before it.
std::shared_ptr<const LauncherCall> static_call(const WorkloadRole& role) {
  for (View container : role.containers) {
    auto call = torchrun_call(container);
    if (!call) continue;
    const bool is_known = !call->may_have_more && !call->option("rdzv-endpoint") &&
                          !joins_by_order(container) && !variable(container, "PET_RDZV_ENDPOINT");
    return is_known ? call : nullptr;
  }
  return nullptr;
}

/// The port that the operator tells all pods: that of the master's container.
std::int64_t port_of_operator(const WorkloadRole& master) {
  constexpr std::int64_t kDefault = 23456;
  for (View container : master.containers) {
    if (string_at(container, "name") != "pytorch") continue;
    for (View port : items_at(container, "ports")) {
      if (string_at(port, "name") != "pytorchjob-port") continue;
      return integer_at(port, "containerPort").value_or(kDefault);
    }
  }
  return kDefault;
}

/// A port on the command line counts before that of the operator, in the pods that have it.
/// kubeflow/training-operator pkg/controller.v1/pytorch/envvar.go setPodEnv, master.go
void port_of_some(const Workload& workload, CheckContext& context) {
  if (workload.kind != "PyTorchJob" || get(workload.spec, "elasticPolicy")) return;
  const WorkloadRole* master = workload.role("Master");
  const WorkloadRole* workers = workload.role("Worker");
  if (master == nullptr || workers == nullptr || workers->pods < 1) return;
  const auto own = static_call(*master);
  const auto other = static_call(*workers);
  if (!own || !other) return;
  const std::int64_t told = port_of_operator(*master);
  const auto port_in = [told](const LauncherCall& call) -> std::optional<std::int64_t> {
    const OptionValue& port = call.option("master-port");
    return port ? port.number() : std::optional(told);
  };
  const auto listens = port_in(*own);
  const auto asked = port_in(*other);
  if (!listens || !asked || *listens == *asked) return;
  const OptionValue& at = own->option("master-port");
  context.lint(at ? at.at : other->option("master-port").at,
               "the master listens at port " + std::to_string(*listens) +
                   ", and the workers look for it at " + std::to_string(*asked),
               Severity::Warning);
}

}  // namespace

void rank_port(const Workload& workload, CheckContext& context) {
  port_of_some(workload, context);
  // Of what we make, all Services are known from the start, and hardly any is meant.
  const Inventory* known = context.is_ours() ? context.inventory() : nullptr;
  if (known != nullptr && std::ranges::none_of(known->all("", "Service"), passes_on_ports)) return;
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      for (const Address& address : addresses_in(workload, role, container)) {
        const auto number = address.port.number();
        if (!number || !is_plain_host(address.host)) continue;
        const std::string name = host_of(address.host, address.port.at).name;
        const View service = service_named(workload, name, context);
        if (!passes_on_ports(service)) continue;
        const View ports = get(get(service, "spec"), "ports");
        const bool there = std::ranges::any_of(
            Items(ports), [&](View each) { return integer_at(each, "port") == number; });
        if (there) continue;
        context
            .lint(address.port.at,
                  "Service " + shown(name) + " has no port " + std::to_string(*number))
            .also(context.place(ports), "its ports");
      }
    }
  }
}

void rank_port_range(const Workload& workload, CheckContext& context) {
  constexpr std::int64_t kLast = 65535;
  const auto check = [&](const OptionValue& port) {
    const auto number = port.number();
    if (port.text.starts_with("{{") && port.text.ends_with("}}")) {
      context.lint(port.at, shown(port.text) + " is no port: it was to be filled in",
                   Severity::Warning);
    }
    if (!number || *number <= kLast) return;
    context.lint(port.at, shown(port.text) + " is no port; expected at most 65535");
  };
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      for (std::string_view name : {"MASTER_PORT", "PET_MASTER_PORT"}) {
        const View value = variable_value(container, name);
        if (!value || is_injected(workload, role, container, name)) continue;
        check({std::string(value->text), value});
      }
      const auto call = torchrun_call(container);
      if (!call) continue;
      check(call->option("master-port"));
      const OptionValue& endpoint = call->option("rdzv-endpoint");
      const std::size_t colon = endpoint.text.rfind(':');
      if (colon != std::string::npos) check({endpoint.text.substr(colon + 1), endpoint.at});
    }
  }
}

}  // namespace trainyard
