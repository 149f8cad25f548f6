#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "admission/name_checks.h"
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

using FirstPorts = std::map<std::pair<std::string_view, std::int64_t>, View>;  // with the protocol

/// Reports a number that came before.
bool comes_twice(View port, std::string_view field, std::string_view whose, FirstPorts& seen,
                 CheckContext& context) {
  const auto number = integer_at(port, field);
  if (!number || *number == 0) return false;
  const auto [first, is_new] = seen.try_emplace({protocol_of(port), *number}, port);
  if (is_new || context.is_flagged(port)) return false;
  context
      .refuse(get(port, field),
              "port " + std::to_string(*number) + std::string(whose) + " comes twice")
      .also(context.place(first->second), "the first one");
  return true;
}

void ports(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  const View list = get(spec, "ports");
  if (!list || !list->is_seq()) return;
  FirstPorts numbers;
  FirstPorts node_ports;
  for (View port : Items(list)) {
    if (!port->is_map()) continue;
    one_port(port, list->size > 1, context);
    if (!comes_twice(port, "port", "", numbers, context)) {
      comes_twice(port, "nodePort", " of the nodes", node_ports, context);
    }
    const View node = get(port, "nodePort");
    if (integer_of(node).value_or(0) != 0 && type_of(spec) == "ClusterIP") {
      context.refuse_key(node, "`nodePort` goes with `type: NodePort` or `LoadBalancer`");
    }
  }
  unique_names(list, "port", context);
}

/// kubernetes/kubernetes pkg/features: RelaxedServiceNameValidation is on from 1.36.
void service_name(View object, CheckContext& context) {
  if (!context.before(36)) return;
  const ObjectName name = object_name(object);
  if (!name || why_not_dns_label(name.text)) return;  // the schema reports the name
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
