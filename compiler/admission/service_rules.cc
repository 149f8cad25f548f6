#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "admission/ip_addresses.h"
#include "admission/name_checks.h"
#include "admission/networks.h"
#include "admission/ports.h"
#include "admission/tables.h"
#include "check/check.h"
#include "diag/words.h"
#include "manifest/field_words.h"
#include "manifest/object_name.h"
#include "schema/names.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kSource =
    "kubernetes/kubernetes pkg/apis/core/validation/validation.go validateService";

std::string_view type_of(View spec) {
  const std::string_view type = string_at(spec, "type");
  return type.empty() ? "ClusterIP" : type;
}
bool is_headless(View spec) {
  return string_at(spec, "clusterIP") == "None";
}
bool is_external(std::string_view type) {
  return type == "NodePort" || type == "LoadBalancer";
}

void service_type(View object, CheckContext& context) {
  constexpr auto types =
      std::to_array<std::string_view>({"ClusterIP", "NodePort", "LoadBalancer", "ExternalName"});
  const View spec = get(object, "spec");
  if (!spec || !spec->is_map()) {
    if (!spec) context.refuse(object, "a Service without `spec`");
    return;
  }
  context.allow(get(spec, "type"), "type of Service", types);
  const std::string_view type = type_of(spec);
  const View ports = get(spec, "ports");
  if (!has_items(ports) && !is_headless(spec) && type != "ExternalName") {
    context.refuse(ports ? ports : spec,
                   "a Service without ports; only one with `clusterIP: None` can be without");
  }
  if (is_headless(spec) && is_external(type)) {
    context.refuse(get(spec, "clusterIP"),
                   "a Service of type " + shown(type) + " needs an address of its own, not `None`");
  }
  if (type != "ExternalName") return;
  for (std::string_view key : {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
    const View found = get(spec, key);
    if (!is_set(found)) continue;
    context.refuse_key(found, "a Service of type `ExternalName` has no " + shown(key));
  }
  const View name = get(spec, "externalName");
  std::string_view host = string_of(name);
  if (host.ends_with('.')) host.remove_suffix(1);
  if (host.empty()) {
    context.refuse(name ? name : spec, "a Service of type `ExternalName` needs `externalName`");
  } else if (const Fault fault = why_not_subdomain(host)) {
    context.refuse(name, "host name " + shown(name->text) + " " + *fault);
  }
}

std::string_view protocol_of(View port) {
  const std::string_view protocol = string_at(port, "protocol");
  return protocol.empty() ? "TCP" : protocol;
}

void one_port(View port, bool named, CheckContext& context) {
  const View name = get(port, "name");
  if (named && string_of(name).empty()) {
    context.refuse(port, "with several ports each needs a `name`");
  }
  context.name(name, "port", why_not_dns_label);
  check_port_number(get(port, "port"), context);
  const View target = get(port, "targetPort");
  if (integer_of(target).value_or(1) != 0 && string_of(target) != "") {
    check_port_or_name(target, context);
  } else if (target && target.kind() == Kind::Int && target->text != "0") {
    check_port_number(target, context);
  }
  context.allow(get(port, "protocol"), "protocol", kProtocols);
  context.name(get(port, "appProtocol"), "application protocol", why_not_label_key);
}

void ports(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  const View list = get(spec, "ports");
  if (!list || !list->is_seq()) return;
  std::vector<View> seen;
  for (View port : Items(list)) {
    if (!port->is_map()) continue;
    one_port(port, list->size > 1, context);
    for (View first : seen) {
      const auto number = integer_at(port, "port");
      const auto node = integer_at(port, "nodePort").value_or(0);
      if (protocol_of(first) != protocol_of(port) || context.is_flagged(port)) continue;
      if (number && integer_at(first, "port") == number) {
        context.refuse(get(port, "port"), "port " + std::to_string(*number) + " comes twice")
            .also(context.place(first), "the first one");
      } else if (node != 0 && integer_at(first, "nodePort").value_or(0) == node) {
        context
            .refuse(get(port, "nodePort"),
                    "port " + std::to_string(node) + " of the nodes comes twice")
            .also(context.place(first), "the first one");
      }
    }
    seen.push_back(port);
    const View node = get(port, "nodePort");
    if (integer_of(node).value_or(0) != 0 && type_of(spec) == "ClusterIP") {
      context.refuse_key(node, "`nodePort` goes with `type: NodePort` or `LoadBalancer`");
    }
  }
  unique_names(list, "port", context);
}

/// `clusterIPs` begins with `clusterIP` and has one address of each family at most.
void cluster_addresses(View spec, CheckContext& context) {
  const View list = get(spec, "clusterIPs");
  if (!has_items(list) || !list->is_seq() || type_of(spec) == "ExternalName") return;
  const std::string_view own = string_at(spec, "clusterIP");
  const View first = *Items(list).begin();
  if (own.empty()) {
    context.refuse(list, "`clusterIPs` goes with a `clusterIP`, which is the first of them");
    return;
  }
  if (string_of(first) != own) {
    context.refuse(first, "`clusterIPs` begins with " + shown(first->text) +
                              ", and `clusterIP` is " + shown(own));
    return;
  }
  if (list->size > 2) {
    context.refuse(list, "a Service has at most 2 addresses, not " + std::to_string(list->size));
    return;
  }
  const View second = list->size == 2 ? list.first().next() : View();
  if (string_of(first) == "None") {
    if (second) context.refuse(second, "`None` stands for all addresses; expected it alone");
    return;
  }
  for (View address : Items(list)) {
    if (address.kind() != Kind::String || is_ip_address(address->text)) continue;
    if (address.id() == first.id()) continue;  // said of `clusterIP`
    context.refuse(address, shown(address->text) + " is no IP address");
  }
  if (!second || !is_ip_address(string_of(first)) || !is_ip_address(string_of(second))) return;
  if (is_ipv6_address(first->text) == is_ipv6_address(second->text)) {
    context.refuse(second, "two addresses are one of each IP family, not two of one");
  } else if (string_at(spec, "ipFamilyPolicy") == "SingleStack") {
    context.refuse(get(spec, "ipFamilyPolicy"),
                   "`SingleStack` is one address, and there are two; expected "
                   "`PreferDualStack` or `RequireDualStack`");
  }
}

/// Neither of the node itself nor of its link.
void external_address(View address, CheckContext& context) {
  if (address.kind() != Kind::String) return;
  check_address(address, context);
  if (!is_ip_address(address->text)) return;
  if (const std::string_view what = own_range(address->text); !what.empty()) {
    context.refuse(address, shown(address->text) + " is " + std::string(what) +
                                ", which leads to no Service from outside");
  }
}

void addresses(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  const View own = get(spec, "clusterIP");
  const std::string_view text = string_of(own);
  if (!text.empty() && text != "None" && type_of(spec) != "ExternalName" && !is_ip_address(text)) {
    context.refuse(own, shown(text) + " is no IP address; expected one, `None` or nothing");
  }
  cluster_addresses(spec, context);
  for (View address : items_at(spec, "externalIPs")) external_address(address, context);
  constexpr auto families = std::to_array<std::string_view>({"IPv4", "IPv6"});
  constexpr auto policies =
      std::to_array<std::string_view>({"SingleStack", "PreferDualStack", "RequireDualStack"});
  for (View family : items_at(spec, "ipFamilies")) {
    context.allow_written(family, "IP family", families);
  }
  const View list = get(spec, "ipFamilies");
  if (has_items(list) && list->size > 1) {
    const View second = list.first().next();
    if (second->text == (*Items(list).begin())->text || list->size > 2) {
      context.refuse(second, "there are two IP families, and each comes once");
    }
    if (string_at(spec, "ipFamilyPolicy") == "SingleStack") {
      context.refuse(get(spec, "ipFamilyPolicy"),
                     "`SingleStack` is one IP family, and there are several; expected "
                     "`PreferDualStack` or `RequireDualStack`");
    }
  }
  if (is_ip_address(text) && has_items(list)) {
    const std::string_view first = string_of(*Items(list).begin());
    const std::string_view real = is_ipv6_address(text) ? "IPv6" : "IPv4";
    if ((first == "IPv4" || first == "IPv6") && first != real) {
      context.refuse(own, shown(text) + " is an address of " + shown(real) +
                              ", and `ipFamilies` begins with " + shown(first));
    }
  }
  context.allow(get(spec, "ipFamilyPolicy"), "IP family policy", policies);
}

void health_port(View spec, CheckContext& context) {
  const View port = get(spec, "healthCheckNodePort");
  if (integer_of(port).value_or(0) == 0) return;
  if (type_of(spec) != "LoadBalancer" || string_at(spec, "externalTrafficPolicy") != "Local") {
    context.refuse_key(port,
                       "`healthCheckNodePort` goes with `type: LoadBalancer` and "
                       "`externalTrafficPolicy: Local` only");
  } else {
    check_port_number(port, context);
  }
}

std::string_view without_spaces(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

/// Who may reach a load balancer: a field, or an annotation from before there was one.
void source_ranges(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  const auto network = [&](View at, std::string_view text) {
    check_network(at, without_spaces(text), context);
  };
  if (type_of(spec) == "LoadBalancer") {
    for (View range : items_at(spec, "loadBalancerSourceRanges")) {
      if (range.kind() == Kind::String) network(range, range->text);
    }
  }
  if (has_items(get(spec, "loadBalancerSourceRanges"))) return;
  const View written = get(get(get(object, "metadata"), "annotations"),
                           "service.beta.kubernetes.io/load-balancer-source-ranges");
  if (!written || written.kind() != Kind::String) return;
  if (type_of(spec) != "LoadBalancer") {
    context.refuse_key(written, shown(written.key()) + " goes with `type: LoadBalancer` only");
    return;
  }
  std::string_view rest = without_spaces(written->text);
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    network(written, rest.substr(0, comma));
    if (comma == rest.size()) break;
    rest.remove_prefix(comma + 1);
  }
}

/// The annotation has a second name, from before it had this one.
void topology_mode(View object, CheckContext& context) {
  const View annotations = get(get(object, "metadata"), "annotations");
  const View mode = get(annotations, "service.kubernetes.io/topology-mode");
  const View hints = get(annotations, "service.kubernetes.io/topology-aware-hints");
  if (!mode || !hints || mode->text == hints->text) return;
  context.refuse(mode, shown(mode->text) + " is not what the older annotation says; leave that out")
      .also(context.place(hints), "the older one");
}

void traffic(View object, CheckContext& context) {
  constexpr auto policies = std::to_array<std::string_view>({"Cluster", "Local"});
  constexpr auto spreads =
      std::to_array<std::string_view>({"PreferClose", "PreferSameZone", "PreferSameNode"});
  const View spec = get(object, "spec");
  const std::string_view type = type_of(spec);
  const View external = get(spec, "externalTrafficPolicy");
  context.allow(external, "traffic policy", policies);
  context.allow(get(spec, "internalTrafficPolicy"), "traffic policy", policies);
  context.allow(get(spec, "trafficDistribution"), "traffic distribution",
                context.before(34) ? std::span<const std::string_view>(spreads).first(1)
                                   : std::span<const std::string_view>(spreads));
  const bool reachable =
      is_external(type) || (type == "ClusterIP" && has_items(get(spec, "externalIPs")));
  if (!string_of(external).empty() && !reachable) {
    context.refuse_key(external,
                       "`externalTrafficPolicy` is for Services that are reached from "
                       "outside, of type `NodePort` or `LoadBalancer`");
  }
  health_port(spec, context);
  topology_mode(object, context);
  source_ranges(object, context);
  if (type == "LoadBalancer") {
    context.name(get(spec, "loadBalancerClass"), "load balancer class", why_not_label_key);
    return;
  }
  for (std::string_view key :
       {"loadBalancerSourceRanges", "allocateLoadBalancerNodePorts", "loadBalancerClass"}) {
    const View found = get(spec, key);
    if (!found || (found->is_seq() && found->size == 0)) continue;
    context.refuse_key(found, shown(key) + " goes with `type: LoadBalancer` only");
  }
}

/// kubernetes/kubernetes pkg/features: RelaxedServiceNameValidation is on from 1.36.
void service_name(View object, CheckContext& context) {
  if (!context.before(36)) return;
  const ObjectName name = object_name(object);
  if (!name || why_not_dns_label(name.text)) return;  // the schema speaks of the name
  if (const Fault fault = why_not_service_name(name.text)) {
    context.refuse(name.at, "name " + shown(name.text) + " " + *fault +
                                "; a Service may begin with a digit from Kubernetes 1.36 on");
  }
}

void pods(View object, CheckContext& context) {
  check_labels(get(get(object, "spec"), "selector"), "label", context);
}

constexpr Check kChecks[] = {
    {.name = "service-type",
     .group = CheckGroup::Core,
     .on = "core Service",
     .sentence = "A Service has what its type needs and nothing that its type cannot have.",
     .source = kSource,
     .object = service_type},
    {.name = "service-ports",
     .group = CheckGroup::Core,
     .on = "core Service",
     .sentence = "Ports of a Service are valid, come once, and have names when there are several.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go validateServicePort",
     .object = ports},
    {.name = "service-addresses",
     .group = CheckGroup::Platform,
     .opt_in = true,
     .on = "core Service",
     .sentence = "Addresses of a Service are IP addresses.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go "
               "ValidateServiceClusterIPsRelatedFields",
     .object = addresses},
    {.name = "service-traffic",
     .group = CheckGroup::Platform,
     .opt_in = true,
     .on = "core Service",
     .sentence = "Traffic policies fit the type of a Service.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go "
               "validateServiceExternalTrafficPolicy",
     .object = traffic},
    {.name = "service-name",
     .group = CheckGroup::Core,
     .on = "core Service",
     .sentence = "The name of a Service begins with a letter before Kubernetes 1.36.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/names.go ValidateServiceName",
     .object = service_name},
    {.name = "service-selector",
     .group = CheckGroup::Core,
     .on = "core Service",
     .sentence = "A Service selects pods by labels that they can have.",
     .source = kSource,
     .object = pods},
};

}  // namespace

constinit const std::span<const Check> service_checks = kChecks;

}  // namespace trainyard
