#include <array>
#include <string>

#include "admission/name_checks.h"
#include "admission/networks.h"
#include "admission/tables.h"
#include "check/check.h"
#include "diag/words.h"
#include "schema/names.h"
#include "tree/typed_fields.h"

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

/// Whether an `_` may stand at `at`: one before a label, any inside of one.
bool may_be_underscore(std::string_view text, std::size_t at) {
  if (text[at] != '_' || at + 1 == text.size() || text[at + 1] == '.') return false;
  return (at != 0 && text[at - 1] != '.') || (text[at + 1] != '_' && text[at + 1] != '-');
}

/// A domain to search in. Since Kubernetes 1.33 labels may hold `_`, and `.` alone is one.
void search(View value, CheckContext& context) {
  std::string text(string_of(value));
  if (text.empty() || (text == "." && !context.before(33))) return;
  if (text.ends_with('.')) text.pop_back();
  if (!context.before(33)) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (may_be_underscore(text, i)) text[i] = 'x';
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
  for (View server : items_at(config, "nameservers")) check_address(server, context);
  const View searches = get(config, "searches");
  if (searches && searches->is_seq() && searches->size > 32) {
    context.refuse(searches,
                   "a pod searches at most 32 domains, not " + std::to_string(searches->size));
  }
  std::size_t characters = 0;
  for (View value : items_at(config, "searches")) {
    search(value, context);
    characters += value->text.size() + (characters == 0 ? 0 : 1);
  }
  constexpr std::size_t most_characters = 2048;
  if (characters > most_characters) {
    context.refuse(searches,
                   "the domains to search in have at most 2048 characters together, not " +
                       std::to_string(characters));
  }
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
    check_address(get(alias, "ip"), context);
    for (View name : items_at(alias, "hostnames")) context.name(name, "host", why_not_subdomain);
  }
}

constexpr Check kChecks[] = {
    {.name = "dns-policy",
     .group = CheckGroup::Core,
     .sentence = "A DNS policy is a word that exists, and `None` comes with name servers.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go validateDNSPolicy",
     .pod = dns_policy},
    {.name = "dns-config",
     .group = CheckGroup::Core,
     .sentence = "A pod has at most 3 name servers, each an address, and 32 search domains.",
     .source = kSource,
     .pod = dns_config},
    {.name = "host-names",
     .group = CheckGroup::Core,
     .sentence = "Host name and subdomain of a pod are DNS labels.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go validatePodHostName",
     .pod = host_names},
    {.name = "host-aliases",
     .group = CheckGroup::Core,
     .sentence = "What is added to /etc/hosts are addresses and host names.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go ValidateHostAliases",
     .pod = host_aliases},
};

}  // namespace

constinit const std::span<const Check> pod_dns_checks = kChecks;

}  // namespace trainyard
