// Webhooks that the API server asks before it takes an object.

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "admission/admission_registration.h"
#include "admission/name_checks.h"
#include "admission/ports.h"
#include "admission/tables.h"
#include "check/check.h"
#include "diag/words.h"
#include "schema/names.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kSource =
    "kubernetes/kubernetes pkg/apis/admissionregistration/validation/validation.go";
constexpr std::string_view kWebhooks =
    "admissionregistration.k8s.io ValidatingWebhookConfiguration MutatingWebhookConfiguration";

/// `https://host[/path]` and nothing more.
Fault why_no_webhook_url(std::string_view url) {
  constexpr std::string_view scheme = "https://";
  if (!url.starts_with(scheme)) return "does not begin with `https://`";
  url.remove_prefix(scheme.size());
  const std::string_view host = url.substr(0, url.find_first_of("/?#"));
  if (host.empty()) return "has no host";
  if (host.find('@') != std::string_view::npos) return "names a user, which is not allowed";
  if (url.find('#') != std::string_view::npos) return "has a fragment, which is not allowed";
  if (url.find('?') != std::string_view::npos) return "has a query, which is not allowed";
  return std::nullopt;
}

/// kubernetes/apiserver pkg/util/webhook/validation.go
Fault why_no_service_path(std::string_view path) {
  if (path.empty() || path == "/") return std::nullopt;
  if (!path.starts_with('/')) return "does not begin with `/`";
  path.remove_prefix(1);
  if (path.ends_with('/')) path.remove_suffix(1);
  while (true) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (part.empty()) return "has an empty part";
    if (const Fault fault = why_not_subdomain(part)) return "has a part that " + *fault;
    if (slash == std::string_view::npos) return std::nullopt;
    path.remove_prefix(slash + 1);
  }
}

void service(View service, CheckContext& context) {
  require_text(service, "name", context);
  require_text(service, "namespace", context);
  if (const View port = get(service, "port")) check_port_number(port, context);
  const View path = get(service, "path");
  if (const Fault fault = why_no_service_path(string_of(path))) {
    context.refuse(path, "path " + shown(path->text) + " " + *fault);
  }
}

void client(View webhook, CheckContext& context) {
  const View config = get(webhook, "clientConfig");
  if (!config || !config->is_map()) {
    if (!config && !context.is_flagged(webhook)) {
      context.refuse(webhook, "the webhook does not say whom to ask; expected `clientConfig`");
    }
    return;
  }
  const View url = get(config, "url");
  const View target = get(config, "service");
  if (url && target) {
    context.refuse_key(url, "a webhook is asked at a `url` or at a `service`, not both");
  } else if (!url && !target) {
    context.refuse(config, "the webhook does not say whom to ask; expected `url` or `service`");
  } else if (target) {
    if (target->is_map()) service(target, context);
  } else if (const Fault fault = why_no_webhook_url(string_of(url))) {
    context.refuse(url, "address " + shown(string_of(url)) + " " + *fault);
  }
}

/// At least one of those that the server speaks, and each once.
void review_versions(View webhook, CheckContext& context) {
  const View list = get(webhook, "admissionReviewVersions");
  if (!has_items(list)) {
    if (!context.is_flagged(webhook)) {
      context.refuse(list ? list : webhook, "no `admissionReviewVersions`: expected `[v1]`");
    }
    return;
  }
  bool spoken = false;
  std::vector<View> seen;
  for (View each : Items(list)) {
    const std::string_view text = string_of(each);
    spoken = spoken || text == "v1" || text == "v1beta1";
    const bool twice =
        std::ranges::any_of(seen, [&](View first) { return first->text == each->text; });
    if (twice) {
      context.refuse(each, shown(text) + " comes twice");
    } else if (const Fault fault = why_not_service_name(text)) {
      context.refuse(each, "version " + shown(text) + " " + *fault);
    }
    seen.push_back(each);
  }
  if (!spoken) {
    context.refuse(list, "the API server speaks `v1` and `v1beta1`; expected one of them");
  }
}

/// Three parts at least, as of a domain: `check.example.com`.
void full_name(View webhook, CheckContext& context) {
  const View name = get(webhook, "name");
  require_text(webhook, "name", context);
  const std::string_view text = string_of(name);
  if (text.empty()) return;
  if (const Fault fault = why_not_subdomain(text)) {
    context.refuse(name, "the webhook name " + shown(text) + " " + *fault);
  } else if (std::ranges::count(text, '.') < 2) {
    context.refuse(name, "the webhook name " + shown(text) +
                             " is too short; expected a domain of three parts at least, such as "
                             "`check.example.com`");
  }
}

void webhook_parts(View webhook, CheckContext& context) {
  constexpr auto effects = std::to_array<std::string_view>({"None", "NoneOnDryRun"});
  constexpr auto repeats = std::to_array<std::string_view>({"Never", "IfNeeded"});
  const View own = get(webhook, "sideEffects");
  if (!own && !context.is_flagged(webhook)) {
    context.refuse(webhook, "no `sideEffects`: expected `None` or `NoneOnDryRun`");
  }
  context.allow_written(own, "class of side effects", effects);
  context.allow_written(get(webhook, "reinvocationPolicy"), "reinvocation policy", repeats);
  check_failure_policy(get(webhook, "failurePolicy"), context);
  check_match_policy(get(webhook, "matchPolicy"), context);
  const View seconds = get(webhook, "timeoutSeconds");
  const auto value = integer_of(seconds);
  if (value && (*value < 1 || *value > 30)) {
    context.refuse(seconds, "the server waits for 1 to 30 seconds, not " + std::to_string(*value));
  }
  check_selector(get(webhook, "namespaceSelector"), context);
  check_selector(get(webhook, "objectSelector"), context);
}

void webhooks(View object, CheckContext& context) {
  unique_names(get(object, "webhooks"), "webhook", context);
  for (View webhook : items_at(object, "webhooks")) {
    if (!webhook->is_map()) continue;
    full_name(webhook, context);
    client(webhook, context);
    review_versions(webhook, context);
    webhook_parts(webhook, context);
  }
}

void webhook_requests(View object, CheckContext& context) {
  for (View webhook : items_at(object, "webhooks")) {
    for (View rule : items_at(webhook, "rules")) check_request_rule(rule, context);
    check_match_conditions(webhook, false, context);
  }
}

constexpr Check kChecks[] = {
    {.name = "webhooks",
     .group = CheckGroup::Platform,
     .on = kWebhooks,
     .sentence = "A webhook has a full name, says whom to ask in which version, and has no side "
                 "effects.",
     .source = kSource,
     .object = webhooks},
    {.name = "webhook-requests",
     .group = CheckGroup::Platform,
     .on = kWebhooks,
     .sentence = "A webhook says which requests it is for, and its conditions compile.",
     .source = kSource,
     .object = webhook_requests},
};

}  // namespace

constinit const std::span<const Check> webhook_checks = kChecks;

}  // namespace trainyard
