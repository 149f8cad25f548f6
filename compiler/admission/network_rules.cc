#include <array>
#include <string>

#include "admission/ip_addresses.h"
#include "admission/name_checks.h"
#include "admission/networks.h"
#include "admission/ports.h"
#include "admission/tables.h"
#include "check/check.h"
#include "diag/words.h"
#include "manifest/field_words.h"
#include "schema/names.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

// ---- NetworkPolicy --------------------------------------------------------------------------

void policy_port(View port, CheckContext& context) {
  context.allow_written(get(port, "protocol"), "protocol", kProtocols);
  const View first = get(port, "port");
  const View last = get(port, "endPort");
  check_port_or_name(first, context);
  if (!last) return;
  if (!first) {
    context.refuse(last, "`endPort` is the end of a range, which needs `port` as its begin");
  } else if (first.kind() == Kind::String) {
    context.refuse(last, "a range begins with a number, not with the port " + shown(first->text));
  } else if (integer_of(last).value_or(0) < integer_of(first).value_or(0)) {
    context.refuse(last, "the range ends before it begins, with port " + std::string(first->text));
  } else {
    check_port_number(last, context);
  }
}

void address_block(View block, CheckContext& context) {
  require_text(block, "cidr", context);
  const View whole = get(block, "cidr");
  if (is_set(whole)) check_network(whole, context);
  for (View hole : items_at(block, "except")) {
    check_network(hole, context);
    const bool both = is_network(string_of(whole)) && is_network(string_of(hole));
    if (!both || is_part_of(hole->text, whole->text)) continue;
    context
        .refuse(hole, shown(hole->text) + " is excepted, and is no part of " + shown(whole->text))
        .also(context.place(whole), "the block");
  }
}

void policy_peer(View peer, CheckContext& context) {
  const View pods = get(peer, "podSelector");
  const View namespaces = get(peer, "namespaceSelector");
  const View block = get(peer, "ipBlock");
  check_selector(pods, context);
  check_selector(namespaces, context);
  address_block(block, context);
  if (!pods && !namespaces && !block) {
    context.refuse(peer,
                   "this names no peer; expected `podSelector`, `namespaceSelector` or `ipBlock`");
  } else if (block && (pods || namespaces)) {
    context.refuse_key(block, "`ipBlock` goes with no selector; give each an item of its own");
  }
}

void network_policy(View object, CheckContext& context) {
  constexpr auto types = std::to_array<std::string_view>({"Ingress", "Egress"});
  const View spec = get(object, "spec");
  check_selector(get(spec, "podSelector"), context);
  constexpr std::array<std::array<std::string_view, 2>, 2> directions = {
      {{"ingress", "from"}, {"egress", "to"}}};
  for (const auto& [direction, peers] : directions) {
    for (View rule : items_at(spec, direction)) {
      for (View port : items_at(rule, "ports")) policy_port(port, context);
      for (View peer : items_at(rule, peers)) {
        if (peer->is_map()) policy_peer(peer, context);
      }
    }
  }
  const View stated = get(spec, "policyTypes");
  if (stated && stated->is_seq() && stated->size > types.size()) {
    context.refuse(stated, "there are two policy types, `Ingress` and `Egress`");
    return;
  }
  for (View type : items_at(spec, "policyTypes")) context.allow(type, "policy type", types);
}

// ---- Ingress --------------------------------------------------------------------------------

void host(View name, CheckContext& context) {
  std::string_view text = string_of(name);
  if (text.empty()) return;
  if (is_ip_address(text)) {
    context.refuse(name, "a host is a name, not an address as " + shown(text));
    return;
  }
  if (text.starts_with("*.")) text.remove_prefix(2);
  if (const Fault fault = why_not_subdomain(text)) {
    context.refuse(name, "host name " + shown(name->text) + " " + *fault);
  }
}

void backend(View backend, CheckContext& context) {
  const View service = get(backend, "service");
  const View resource = get(backend, "resource");
  if (service && resource) {
    context.refuse_key(resource, "a backend is a `service` or a `resource`, not both");
    return;
  }
  if (resource) {
    require_text(resource, "kind", context);
    require_text(resource, "name", context);
    return;
  }
  if (!service) {
    context.refuse(backend, "the backend is empty; expected `service` or `resource`");
    return;
  }
  require_text(service, "name", context);
  context.name(get(service, "name"), "Service", why_not_dns_label);
  const View port = get(service, "port");
  const View name = get(port, "name");
  const View number = get(port, "number");
  if (is_set(name) && is_set(number)) {
    context.refuse(name, "a port has a `name` or a `number` here, not both");
  } else if (is_set(name)) {
    context.name(name, "port", why_not_port_name);
  } else if (is_set(number)) {
    check_port_number(number, context);
  } else {
    context.refuse(port ? port : service, "no port; expected `port.number` or `port.name`");
  }
}

void path(View path, CheckContext& context) {
  constexpr auto types =
      std::to_array<std::string_view>({"Exact", "Prefix", "ImplementationSpecific"});
  const View type = get(path, "pathType");
  if (type && type.kind() == Kind::String && type->text.empty()) {
    context.refuse(type,
                   "the path type is empty; expected `Exact`, `Prefix` or "
                   "`ImplementationSpecific`");
  }
  context.allow(type, "path type", types);
  const View text = get(path, "path");
  const bool exact = string_of(type) == "Exact" || string_of(type) == "Prefix";
  const std::string_view shape = string_of(text);
  if (!shape.starts_with('/') && (exact || !shape.empty())) {
    context.refuse(text ? text : path, "a path starts with `/`");
  } else if (exact) {
    for (std::string_view part : {"//", "/./", "/../", "%2f", "%2F"}) {
      if (shape.find(part) == shape.npos) continue;
      context.refuse(text, "the path must not hold " + shown(part));
    }
    for (std::string_view end : {"/..", "/."}) {
      if (shape.ends_with(end)) context.refuse(text, "the path must not end with " + shown(end));
    }
  }
  const View target = get(path, "backend");
  if (target && target->is_map()) backend(target, context);
}

/// The class as it was written before there was a field for it; a change is not held to it.
void old_class(View object, View of_class, CheckContext& context) {
  const View written =
      get(get(get(object, "metadata"), "annotations"), "kubernetes.io/ingress.class");
  if (!written || !of_class || string_of(written) == string_of(of_class)) return;
  if (written.kind() != Kind::String || of_class.kind() != Kind::String) return;
  context
      .refuse(written, "class " + shown(written->text) + " is not that of `ingressClassName`, " +
                           shown(of_class->text) + "; leave the annotation out")
      .also(context.place(of_class), "the other one");
}

void ingress(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  const View fallback = get(spec, "defaultBackend");
  if (!fallback && !has_items(get(spec, "rules"))) {
    context.refuse(spec ? spec : object, "an Ingress needs `rules` or a `defaultBackend`");
  }
  if (fallback && fallback->is_map()) backend(fallback, context);
  for (View rule : items_at(spec, "rules")) {
    host(get(rule, "host"), context);
    const View http = get(rule, "http");
    if (!http || !http->is_map()) continue;
    const View paths = get(http, "paths");
    if (!has_items(paths) && !context.is_flagged(http)) {
      context.refuse(paths ? paths : http, "no `paths`: expected one at least");
    }
    for (View one : items_at(http, "paths")) {
      if (one->is_map()) path(one, context);
    }
  }
  for (View tls : items_at(spec, "tls")) {
    for (View name : items_at(tls, "hosts")) host(name, context);
    context.name(get(tls, "secretName"), "Secret", why_not_subdomain);
  }
  const View of_class = get(spec, "ingressClassName");
  if (of_class && of_class.kind() == Kind::String && of_class->text.empty()) {
    context.refuse(of_class, "the name of the class is empty; leave it out for the default one");
  }
  context.name(of_class, "IngressClass", why_not_subdomain);
  if (!context.old()) old_class(object, of_class, context);
}

// ---- IngressClass ---------------------------------------------------------------------------

constexpr Check kChecks[] = {
    {.name = "network-policy",
     .group = CheckGroup::Core,
     .on = "networking.k8s.io NetworkPolicy",
     .sentence = "Each rule of a NetworkPolicy names a peer, by selectors or by a network, and "
                 "ports that exist.",
     .source = "kubernetes/kubernetes pkg/apis/networking/validation/validation.go "
               "ValidateNetworkPolicySpec",
     .object = network_policy},
    {.name = "ingress",
     .group = CheckGroup::Platform,
     .opt_in = true,
     .on = "networking.k8s.io Ingress",
     .sentence = "An Ingress leads hosts and paths to one backend each.",
     .source = "kubernetes/kubernetes pkg/apis/networking/validation/validation.go "
               "ValidateIngressSpec",
     .object = ingress},
};

}  // namespace

constinit const std::span<const Check> network_checks = kChecks;

}  // namespace trainyard
