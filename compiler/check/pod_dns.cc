#include <array>
#include <string>

#include "check/addresses.h"
#include "check/check.h"
#include "check/names.h"
#include "check/read.h"
#include "check/tables.h"
#include "schema/names.h"
#include "schema/words.h"

namespace trainyard {
namespace {

constexpr std::string_view kSource =
    "kubernetes/kubernetes pkg/apis/core/validation/validation.go validatePodDNSConfig";

void dns_policy(const Pod& pod, CheckContext& context) {
  constexpr auto policies = std::to_array<std::string_view>(
      {"ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"});
  const View policy = get(pod.spec, "dnsPolicy");
  context.allow(policy, "DNS policy", policies);
  if (string_of(policy) != "None") return;
  const View servers = get(get(pod.spec, "dnsConfig"), "nameservers");
  if (has_items(servers)) return;
  context.refuse(policy,
                 "`None` leaves the pod without DNS; expected `dnsConfig.nameservers` with "
                 "one server at least");
}

void address(View value, CheckContext& context) {
  if (string_of(value).empty() || is_ip_address(value->text)) return;
  context.refuse(value, shown(value->text) + " is no IP address");
}

/// A domain to search in. Since Kubernetes 1.33 labels may hold `_`, and `.` alone is one.
void search(View value, CheckContext& context) {
  std::string text(string_of(value));
  if (text.empty() || (text == "." && !context.before(33))) return;
  if (text.ends_with('.')) text.pop_back();
  if (!context.before(33)) {
    for (char& c : text) {
      if (c == '_') c = 'x';
    }
  }
  if (const Fault fault = why_not_subdomain(text)) {
    context.refuse(value, "search domain " + shown(value->text) + " " + *fault);
  }
}

void dns_config(const Pod& pod, CheckContext& context) {
  const View config = get(pod.spec, "dnsConfig");
  if (!config || !config->is_map()) return;
  const View servers = get(config, "nameservers");
  if (servers && servers->is_seq() && servers->size > 3) {
    context.refuse(servers,
                   "a pod has at most 3 name servers, not " + std::to_string(servers->size));
  }
  for (View server : items_at(config, "nameservers")) address(server, context);
  const View searches = get(config, "searches");
  if (searches && searches->is_seq() && searches->size > 32) {
    context.refuse(searches,
                   "a pod searches at most 32 domains, not " + std::to_string(searches->size));
  }
  for (View value : items_at(config, "searches")) search(value, context);
  for (View option : items_at(config, "options")) {
    if (option->is_map() && string_at(option, "name").empty()) {
      context.refuse(option, "an option of DNS without a name");
    }
  }
}

void host_names(const Pod& pod, CheckContext& context) {
  if (!pod.has(kSetsHostname)) {
    context.name(get(pod.spec, "hostname"), "host", why_not_dns_label);
    context.name(get(pod.spec, "subdomain"), "subdomain", why_not_dns_label);
  }
  const View own = get(pod.spec, "hostnameOverride");
  if (!own) return;
  if (string_of(own).size() > 64) {
    context.refuse(
        own, "a host name has at most 64 characters, not " + std::to_string(own->text.size()));
  } else {
    context.name(own, "host", why_not_subdomain);
  }
  for (std::string_view key : {"setHostnameAsFQDN", "hostNetwork"}) {
    if (!is_true(get(pod.spec, key))) continue;
    context.refuse_key(own, "`hostnameOverride` does not go with `" + std::string(key) + ": true`");
  }
}

void host_aliases(const Pod& pod, CheckContext& context) {
  for (View alias : items_at(pod.spec, "hostAliases")) {
    address(get(alias, "ip"), context);
    for (View name : items_at(alias, "hostnames")) context.name(name, "host", why_not_subdomain);
  }
}

constexpr Check kChecks[] = {
    {.name = "dns-policy",
     .on = "pod",
     .sentence = "A DNS policy is a word that exists, and `None` comes with name servers.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go validateDNSPolicy",
     .pod = dns_policy},
    {.name = "dns-config",
     .on = "pod",
     .sentence = "A pod has at most 3 name servers, each an address, and 32 search domains.",
     .source = kSource,
     .pod = dns_config},
    {.name = "host-names",
     .on = "pod",
     .sentence = "Host name and subdomain of a pod are DNS labels.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go validatePodHostName",
     .pod = host_names},
    {.name = "host-aliases",
     .on = "pod",
     .sentence = "What is added to /etc/hosts are addresses and host names.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go ValidateHostAliases",
     .pod = host_aliases},
};

}  // namespace

constinit const std::span<const Check> pod_dns_checks = kChecks;

}  // namespace trainyard
