#include <map>
#include <tuple>
#include <vector>

#include "admission/ports.h"
#include "admission/tables.h"
#include "check/check.h"
#include "check/first_seen.h"
#include "diag/words.h"
#include "manifest/field_words.h"
#include "schema/names.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kSource =
    "kubernetes/kubernetes pkg/apis/core/validation/validation.go validateContainerPorts";

void port_numbers(const Pod& pod, CheckContext& context) {
  for (const PodContainer& container : pod.containers) {
    for (View port : items_at(container.node, "ports")) {
      check_port_number(get(port, "containerPort"), context);
      const View host = get(port, "hostPort");
      if (integer_of(host).value_or(0) != 0) check_port_number(host, context);
      context.allow(get(port, "protocol"), "protocol", kProtocols);
    }
  }
}

void port_names(const Pod& pod, CheckContext& context) {
  for (const PodContainer& container : pod.containers) {
    FirstSeen seen;
    for (View port : items_at(container.node, "ports")) {
      const View name = get(port, "name");
      if (string_of(name).empty()) continue;
      context.name(name, "port", why_not_port_name);
      if (const View first = seen.first(name->text, name)) {
        context.refuse(name, "two ports of a container are called " + shown(name->text))
            .also(context.place(first), "the first one");
      }
    }
  }
}

struct HostPort {
  View port;
  std::string_view protocol;
  std::string_view address;
  std::int64_t number = 0;
};

/// The ports of one container on its node. With the host's network each container port is one.
void collect(View container, bool host_network, std::vector<HostPort>& ports) {
  for (View port : items_at(container, "ports")) {
    std::int64_t number = integer_at(port, "hostPort").value_or(0);
    if (number == 0 && host_network) number = integer_at(port, "containerPort").value_or(0);
    if (number == 0) continue;
    ports.push_back({port, protocol_of(port), string_at(port, "hostIP"), number});
  }
}

void no_port_twice(const std::vector<HostPort>& ports, CheckContext& context) {
  std::map<std::tuple<std::int64_t, std::string_view, std::string_view>, View> seen;
  for (const HostPort& each : ports) {
    const auto [first, is_new] =
        seen.emplace(std::tuple(each.number, each.protocol, each.address), each.port);
    if (is_new) continue;
    const View own = get(each.port, "hostPort");
    context
        .refuse(own ? own : get(each.port, "containerPort"),
                "port " + std::to_string(each.number) + " of the node is taken twice by this pod")
        .also(context.place(first->second), "the first one");
  }
}

void host_ports(const Pod& pod, CheckContext& context) {
  const bool host_network = is_true(get(pod.spec, "hostNetwork"));
  std::vector<HostPort> together;
  for (const PodContainer& container : pod.containers) {
    if (container.role == ContainerRole::Regular) {
      collect(container.node, host_network, together);
    } else {
      std::vector<HostPort> alone;  // init containers run one by one
      collect(container.node, host_network, alone);
      no_port_twice(alone, context);
    }
  }
  no_port_twice(together, context);
}

void host_network_ports(const Pod& pod, CheckContext& context) {
  if (!is_true(get(pod.spec, "hostNetwork"))) return;
  for (const PodContainer& container : pod.containers) {
    if (container.role != ContainerRole::Regular) continue;
    for (View port : items_at(container.node, "ports")) {
      const View host = get(port, "hostPort");
      const auto outside = integer_of(host).value_or(0);
      const auto inside = integer_at(port, "containerPort").value_or(0);
      if (outside == 0 || outside == inside) continue;
      context.refuse(host,
                     "with `hostNetwork` the port of the node is that of the container: "
                     "expected " +
                         std::to_string(inside) + " or no `hostPort`");
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "port-numbers",
     .group = CheckGroup::Core,
     .sentence = "Ports are between 1 and 65535, over TCP, UDP or SCTP.",
     .source = kSource,
     .pod = port_numbers},
    {.name = "port-names",
     .group = CheckGroup::Core,
     .sentence = "Ports of a container have different names of at most 15 characters.",
     .source = kSource,
     .pod = port_names},
    {.name = "host-ports",
     .group = CheckGroup::Core,
     .sentence = "The containers of a pod take each port of the node once; with `hostNetwork` that "
                 "goes for every port.",
     .source =
         "kubernetes/kubernetes pkg/apis/core/validation/validation.go checkHostPortConflicts",
     .pod = host_ports},
    {.name = "host-network-ports",
     .group = CheckGroup::Core,
     .sentence = "With `hostNetwork` the port of the node is that of the container.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go "
               "validatePodHostNetworkDeps",
     .pod = host_network_ports},
};

}  // namespace

void check_port_number(View port, CheckContext& context) {
  const auto number = integer_of(port);
  if (!number || (*number >= 1 && *number <= 65535)) return;
  context.refuse(port, "port " + std::to_string(*number) + " is not between 1 and 65535");
}

void check_port_or_name(View port, CheckContext& context) {
  if (!port) return;
  if (port.kind() == Kind::Int) return check_port_number(port, context);
  if (port.kind() != Kind::String) return;
  if (port->text.empty()) {
    context.refuse(port, "the port is empty; expected a number or the name of a container's port");
  }
  context.name(port, "port", why_not_port_name);
}

constinit const std::span<const Check> pod_port_checks = kChecks;

}  // namespace trainyard
