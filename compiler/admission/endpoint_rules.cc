#include <array>
#include <string>

#include "admission/ip_addresses.h"
#include "admission/name_checks.h"
#include "admission/ports.h"
#include "admission/tables.h"
#include "check/check.h"
#include "diag/words.h"
#include "manifest/field_words.h"
#include "schema/names.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Networks that no endpoint is in, as only the machine itself is there.
struct LocalNetwork {
  std::string_view network;
  std::string_view what;
};
constexpr LocalNetwork kLocalNetworks[] = {
    {"127.0.0.0/8", "the machine itself"}, {"::1/128", "the machine itself"},
    {"169.254.0.0/16", "the link only"},   {"fe80::/10", "the link only"},
    {"224.0.0.0/24", "all on the link"},   {"ff02::/16", "all on the link"},
};

void address(View at, CheckContext& context) {
  const View ip = get(at, "ip");
  if (!ip || ip.kind() != Kind::String) return;
  if (!is_ip_address(ip->text)) {
    context.refuse(ip, shown(ip->text) + " is no IP address");
    return;
  }
  if (ip->text == "0.0.0.0" || ip->text == "::") {
    context.refuse(ip, shown(ip->text) + " is no address of anybody");
  }
  const bool six = is_ipv6_address(ip->text);
  const std::string alone = std::string(ip->text) + (six ? "/128" : "/32");
  for (const LocalNetwork& row : kLocalNetworks) {
    if (six != (row.network.find(':') != std::string_view::npos)) continue;
    if (alone != row.network && !is_part_of(alone, row.network)) continue;
    context.refuse(
        ip, shown(ip->text) + " means " + std::string(row.what) + ", and cannot be an endpoint");
  }
  context.name(get(at, "hostname"), "host", why_not_dns_label);
  context.name(get(at, "nodeName"), "node", why_not_subdomain);
}

void port(View at, bool named, CheckContext& context) {
  if (named) require_text(at, "name", context);
  context.name(get(at, "name"), "port", why_not_dns_label);
  check_port_number(get(at, "port"), context);
  context.allow(get(at, "protocol"), "protocol", kProtocols);
  const View application = get(at, "appProtocol");
  if (is_set(application)) context.name(application, "protocol", why_not_label_key);
}

void endpoints(View object, CheckContext& context) {
  for (View subset : items_at(object, "subsets")) {
    if (!subset->is_map()) continue;
    const bool some =
        has_items(get(subset, "addresses")) || has_items(get(subset, "notReadyAddresses"));
    if (!some) {
      context.refuse(subset, "nobody is here; expected `addresses` or `notReadyAddresses`");
    }
    for (std::string_view key : {"addresses", "notReadyAddresses"}) {
      for (View each : items_at(subset, key)) {
        if (each->is_map()) address(each, context);
      }
    }
    const View ports = get(subset, "ports");
    for (View each : items_at(subset, "ports")) {
      if (each->is_map()) port(each, ports->size > 1, context);
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "endpoints",
     .group = CheckGroup::Platform,
     .on = "core Endpoints",
     .sentence = "Endpoints have addresses that others can reach, and ports that exist.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go ValidateEndpoints",
     .object = endpoints},
};

}  // namespace

constinit const std::span<const Check> endpoint_checks = kChecks;

}  // namespace trainyard
