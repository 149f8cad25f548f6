#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

#include "admission/resource_amounts.h"
#include "admission/tables.h"
#include "check/check.h"
#include "diag/suggest.h"
#include "diag/words.h"
#include "manifest/partial_pod.h"
#include "schema/names.h"
#include "tree/entry_index.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kSource =
    "kubernetes/kubernetes pkg/apis/core/validation/validation.go validateResourceRequirements";
constexpr auto kPlainResources =
    std::to_array<std::string_view>({"cpu", "memory", "ephemeral-storage"});

bool is_huge_pages(std::string_view name) {
  return name.starts_with("hugepages-");
}
/// Of the system itself, which may give more of it than there is.
bool is_native(std::string_view name) {
  return name.find('/') == std::string_view::npos ||
         name.find("kubernetes.io/") != std::string_view::npos;
}
bool may_overcommit(std::string_view name) {
  return is_native(name) && !is_huge_pages(name);
}

std::optional<Quantity> amount_of(View value) {
  if (!value || !value->is_scalar() || value.kind() == Kind::Null) return std::nullopt;
  return Quantity::parse(value->text);
}

/// An amount of null is one of 0, for the server as for those who read the pod later.
std::optional<Quantity> written_amount(View value) {
  return value && value.kind() == Kind::Null ? Quantity() : amount_of(value);
}
std::string_view written_text(View value) {
  return value.kind() == Kind::Null ? "0" : value->text;
}

/// Calls `check` with each map of amounts of the pod's containers, and of the pod where it has one.
template <class Each>
void each_list(const Pod& pod, Each check) {
  for (const PodContainer& container : pod.containers) {
    const View resources = get(container.node, "resources");
    if (const View limits = get(resources, "limits")) check(limits);
    if (const View requests = get(resources, "requests")) check(requests);
  }
}

Fault why_not_resource(std::string_view name) {
  if (Fault fault = why_not_label_key(name)) return fault;
  if (name.find('/') == std::string_view::npos) {
    if (is_huge_pages(name) || std::ranges::find(kPlainResources, name) != kPlainResources.end()) {
      return std::nullopt;
    }
    return "is no resource of a container; expected `cpu`, `memory`, `ephemeral-storage`, "
           "`hugepages-<size>` or one with a domain such as `nvidia.com/gpu`";
  }
  if (is_native(name)) return std::nullopt;
  if (name.starts_with("requests.")) return "must not begin with `requests.`, which quotas use";
  if (name.find('/') + std::string_view("requests.").size() > kSubdomainSize) {
    return "is too long: with `requests.` in front, as quotas write it, it must still be a name";
  }
  return std::nullopt;
}

void resource_names(const Pod& pod, CheckContext& context) {
  each_list(pod, [&](View list) { check_resource_names(list, context); });
}

void resource_amounts(const Pod& pod, CheckContext& context) {
  each_list(pod, [&](View list) { check_resource_amounts(list, context); });
}

void compare(View request, View limit, CheckContext& context) {
  const auto wanted = written_amount(request);
  const auto most = written_amount(limit);
  if (!wanted || !most) return;
  const std::string_view name = request.key();
  if (*wanted > *most && may_overcommit(name)) {
    context
        .refuse(request, "the request of " + shown(written_text(request)) + " " + shown(name) +
                             " is above its limit of " + shown(written_text(limit)))
        .also(context.place(limit), "the limit");
  } else if (*wanted != *most && !may_overcommit(name)) {
    context
        .refuse(request,
                "request and limit of " + shown(name) + " differ, " + shown(written_text(request)) +
                    " and " + shown(written_text(limit)) +
                    ": a container gets no more of this resource than it requests, so they must "
                    "be equal")
        .also(context.place(limit), "the limit");
  }
}

/// What is not given is filled in: a request from its limit, before anything is compared.
void requests_and_limits(const Pod& pod, CheckContext& context) {
  for (const PodContainer& container : pod.containers) {
    const View resources = get(container.node, "resources");
    const EntryIndex limits(get(resources, "limits"));
    for (View request : entries_at(resources, "requests")) {
      const View limit = limits[request.key()];
      if (limit) {
        compare(request, limit, context);
      } else if (!may_overcommit(request.key()) && !is_rest_unknown(pod)) {
        context.refuse(request, shown(request.key()) +
                                    " is requested without a limit; expected the "
                                    "same amount under `limits`, where alone is "
                                    "enough");
      }
    }
  }
}

bool has_cpu_or_memory(View resources) {
  for (std::string_view list : {"limits", "requests"}) {
    for (std::string_view name : {"cpu", "memory"}) {
      if (get(get(resources, list), name)) return true;
    }
  }
  return false;
}

void huge_page(View entry, CheckContext& context) {
  const auto size = Quantity::parse(entry.key().substr(std::string_view("hugepages-").size()));
  const auto amount = amount_of(entry);
  if (!size || size->is_zero() || size->is_negative()) {
    context.refuse_key(entry, shown(entry.key()) +
                                  " does not end with the size of a page, such as "
                                  "`hugepages-2Mi`");
    return;
  }
  const auto page = size->whole_units();
  const auto whole = amount ? amount->whole_units() : std::nullopt;
  if (page && whole && *page != 0 && *whole % *page != 0) {
    context.refuse(entry,
                   shown(entry->text) + " is no whole number of pages of " + shown(entry.key()));
  }
}

void huge_pages(const Pod& pod, CheckContext& context) {
  for (const PodContainer& container : pod.containers) {
    const View resources = get(container.node, "resources");
    View first;
    for (std::string_view list : {"limits", "requests"}) {
      for (View entry : entries_at(resources, list)) {
        if (!is_huge_pages(entry.key())) continue;
        if (!first) first = entry;
        huge_page(entry, context);
      }
    }
    if (first && !has_cpu_or_memory(resources)) {
      context.refuse_key(first,
                         "huge pages need a request or a limit of `cpu` or `memory` beside "
                         "them");
    }
  }
}

std::vector<std::string_view> claim_names(const Pod& pod) {
  std::vector<std::string_view> names;
  for (View claim : items_at(pod.spec, "resourceClaims")) names.push_back(string_at(claim, "name"));
  return names;
}

void container_claims(const Pod& pod, View container, std::span<const std::string_view> names,
                      CheckContext& context) {
  std::vector<std::pair<std::string_view, std::string_view>> seen;
  for (View claim : items_at(get(container, "resources"), "claims")) {
    const View name = get(claim, "name");
    if (name && name.kind() == Kind::String && name->text.empty()) {
      context.refuse(name, "the container takes a claim without a name");
    }
    if (string_of(name).empty()) continue;
    const std::string_view request = string_at(claim, "request");
    context.name(get(claim, "request"), "request of a claim", why_not_dns_label);
    for (const auto& [other, part] : seen) {
      if (other != name->text || (part != request && !part.empty() && !request.empty())) continue;
      if (!context.is_flagged(claim)) {
        context.refuse(name, "claim " + shown(name->text) + " is taken twice by one container");
      }
      break;
    }
    seen.emplace_back(name->text, request);
    if (pod.has(kAddsClaims) || std::ranges::find(names, name->text) != names.end()) continue;
    std::string message = "there is no claim " + shown(name->text) + " under `resourceClaims`";
    if (const auto near = suggest(name->text, names)) {
      message += ": did you mean " + shown(*near) + "?";
    }
    context.refuse(name, std::move(message));
  }
}

void resource_claims(const Pod& pod, CheckContext& context) {
  const std::vector<std::string_view> names = claim_names(pod);
  for (View claim : items_at(pod.spec, "resourceClaims")) {
    const View own = get(claim, "name");
    if (own && own.kind() == Kind::String && own->text.empty()) {
      context.refuse(own, "a claim without a name");
    }
    context.name(own, "claim", why_not_dns_label);
    const View one = get(claim, "resourceClaimName");
    const View template_name = get(claim, "resourceClaimTemplateName");
    context.name(one, "ResourceClaim", why_not_subdomain);
    context.name(template_name, "ResourceClaimTemplate", why_not_subdomain);
    if (!claim->is_map() || pod.has(kAddsClaims)) continue;
    if (!one && !template_name) {
      context.refuse(claim, "claim " + shown(string_at(claim, "name")) +
                                " stands for nothing; expected `resourceClaimName` or "
                                "`resourceClaimTemplateName`");
    } else if (one && template_name) {
      context.refuse_key(template_name,
                         "a claim has `resourceClaimName` or "
                         "`resourceClaimTemplateName`, not both");
    }
  }
  for (const PodContainer& container : pod.containers) {
    container_claims(pod, container.node, names, context);
  }
}

/// Sum over the containers that run at the same time, and the largest init container.
template <class AmountIn>
std::optional<Quantity> in_all(const Pod& pod, AmountIn amount_in) {
  Quantity running;
  Quantity largest;
  bool any = false;
  for (const PodContainer& container : pod.containers) {
    const std::optional<Quantity> amount = amount_in(get(container.node, "resources"));
    if (!amount || container.role == ContainerRole::Ephemeral) continue;
    any = true;
    if (container.role == ContainerRole::Init) {
      largest = std::max(largest, *amount);
    } else if (const auto sum = add(running, *amount)) {
      running = *sum;
    }
  }
  if (!any) return std::nullopt;
  return std::max(running, largest);
}

void whole_pod(const Pod& pod, View resources, CheckContext& context) {
  if (const View claims = get(resources, "claims")) {
    context.refuse_key(claims, "claims are those of containers, not of the whole pod");
  }
  for (View request : entries_at(resources, "requests")) {
    const View limit = get(get(resources, "limits"), request.key());
    if (limit) compare(request, limit, context);
    const auto amount = amount_of(request);
    const auto sum = requested(pod, request.key());
    if (amount && sum && *sum > *amount) {
      context.refuse(request, "the pod requests " + shown(request->text) + " " +
                                  shown(request.key()) + ", less than its containers together, " +
                                  shown(sum->text()));
    }
  }
}

void pod_resources(const Pod& pod, CheckContext& context) {
  const View resources = get(pod.spec, "resources");
  if (!resources || context.before(34)) return;
  for (std::string_view list : {"limits", "requests"}) {
    for (View entry : entries_at(resources, list)) {
      const std::string_view name = entry.key();
      if (name == "cpu" || name == "memory" || is_huge_pages(name)) continue;
      context.refuse_key(entry, "resource " + shown(name) +
                                    " cannot be given to a whole pod; expected `cpu`, `memory` or "
                                    "huge pages");
    }
  }
  whole_pod(pod, resources, context);
  for (const PodContainer& container : pod.containers) {
    if (container.role != ContainerRole::Regular) continue;
    for (View limit : entries_at(get(container.node, "resources"), "limits")) {
      const View most = get(get(resources, "limits"), limit.key());
      const auto own = amount_of(limit);
      const auto all = amount_of(most);
      if (!own || !all || *own <= *all) continue;
      context
          .refuse(limit, "a limit of " + shown(limit->text) + " " + shown(limit.key()) +
                             " is above that of the whole pod, " + shown(most->text))
          .also(context.place(most), "the limit of the pod");
    }
  }
}

/// Of limits only: a request of next to nothing does no harm.
void bytes_alone(View resources, std::string_view resource, CheckContext& context) {
  const View limit = get(get(resources, "limits"), resource);
  if (!limit || !limit->is_scalar() || !lacks_a_unit(limit->text)) return;
  context.lint(limit, shown(resource) + " is " + without_unit(limit->text, "the limit"));
}

/// A volume in memory or on the node's disk, from which pods are evicted that write more.
void few_bytes_of_volume(View volume, CheckContext& context) {
  const View limit = get(get(volume, "emptyDir"), "sizeLimit");
  if (!limit || !limit->is_scalar() || !lacks_a_unit(limit->text)) return;
  context.lint(limit, "the volume holds " + without_unit(limit->text, "the limit"));
}

/// `512m` of memory is half a byte: very likely `512M` or `512Mi` was meant.
void whole_bytes(const Pod& pod, CheckContext& context) {
  for (View volume : items_at(pod.spec, "volumes")) few_bytes_of_volume(volume, context);
  for (const PodContainer& container : pod.containers) {
    bytes_alone(get(container.node, "resources"), "memory", context);
    bytes_alone(get(container.node, "resources"), "ephemeral-storage", context);
    for (std::string_view key : {"limits", "requests"}) {
      const View amounts = get(get(container.node, "resources"), key);
      for (std::string_view resource : {"memory", "ephemeral-storage"}) {
        const View amount = get(amounts, resource);
        const std::string_view text = string_of(amount);
        const auto bytes = text.ends_with('m') ? Quantity::parse(text) : std::nullopt;
        // Amounts that programs compute are of many digits, and of whole bytes.
        constexpr std::size_t kByHand = 6;
        if (!bytes || (is_whole(*bytes) && text.size() > kByHand)) continue;
        const std::string digits(text.substr(0, text.size() - 1));
        const bool is_likely = digits.size() <= kByHand;
        context.lint(amount, shown(text) + " of " + std::string(resource) +
                                 " are thousandths of a byte" +
                                 (is_likely ? "; did you mean " + shown(digits + "Mi") + "?"
                                            : ", and there is no part of a byte"));
      }
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "resource-names",
     .group = CheckGroup::Core,
     .sentence = "A container asks for `cpu`, `memory`, `ephemeral-storage`, huge pages, or for "
                 "resources with a domain in their names.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go "
               "validateContainerResourceName",
     .pod = resource_names},
    {.name = "resource-amounts",
     .group = CheckGroup::Core,
     .sentence = "Amounts are not negative, and whole for GPUs and other extended resources.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go "
               "ValidateResourceQuantityValue",
     .pod = resource_amounts},
    {.name = "requests-and-limits",
     .group = CheckGroup::Core,
     .sentence = "No request is above its limit; of GPUs, other extended resources and huge pages "
                 "both are equal, and a request has a limit.",
     .source = kSource,
     .pod = requests_and_limits},
    {.name = "huge-pages",
     .group = CheckGroup::Memory,
     .sentence = "Huge pages come as whole pages, and with CPU or memory.",
     .source = kSource,
     .pod = huge_pages},
    {.name = "resource-claims",
     .group = CheckGroup::Gpu,
     .sentence = "A resource claim stands for one thing, and containers take claims that the pod "
                 "has.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go "
               "validateResourceClaimNames",
     .pod = resource_claims},
    {.name = "pod-resources",
     .group = CheckGroup::Core,
     .sentence = "What a whole pod may use covers what its containers ask for.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go validatePodResources",
     .pod = pod_resources,
     .since = "1.34"},
    {.name = "whole-bytes",
     .group = CheckGroup::Memory,
     .effect = Effect::RunsWrong,
     .sentence = "Memory is counted in whole bytes, and amounts have the unit that is meant.",
     .source = "kubernetes/kubernetes pkg/api/pod/warnings.go: fractional byte value; "
               "kubernetes/apimachinery pkg/api/resource/quantity.go",
     .pod = whole_bytes,
     .severity = Severity::Warning,
     .because = "The suffix `m` is a thousandth, and an amount without one counts bytes, so there "
                "is next to nothing: the container does not start, or is evicted with what it "
                "first writes.",
     .fix = "write `Mi` or `Gi`"},
};

}  // namespace

bool lacks_a_unit(std::string_view amount) {
  constexpr std::int64_t kLeast = 1 << 20;
  if (amount.find_first_not_of("0123456789") != amount.npos) return false;
  const auto bytes = Quantity::parse(amount);
  return bytes && !bytes->is_zero() && *bytes < Quantity::of(kLeast);
}

std::string without_unit(std::string_view amount, std::string_view what) {
  const std::string digits(amount);
  return digits + (digits == "1" ? " byte: " : " bytes: ") + std::string(what) +
         " has no unit; did you mean " + shown(digits + "Gi") + " or " + shown(digits + "Mi") + "?";
}

std::optional<Quantity> requested(const Pod& pod, std::string_view name) {
  return in_all(pod, [name](View resources) {
    const auto request = amount_of(get(get(resources, "requests"), name));
    return request ? request : amount_of(get(get(resources, "limits"), name));
  });
}

std::optional<Quantity> limited(const Pod& pod, std::string_view name) {
  return in_all(pod,
                [name](View resources) { return amount_of(get(get(resources, "limits"), name)); });
}

bool is_whole(const Quantity& amount) {
  const auto units = amount.whole_units();  // rounded, and absent where there are too many to count
  return !units || Quantity::of(*units) == amount;
}

bool is_extended_resource(std::string_view name) {
  return !is_native(name) && !name.starts_with("requests.");
}

void check_resource_names(View amounts, CheckContext& context) {
  for (View entry : Items(amounts)) {
    const Fault fault = why_not_resource(entry.key());
    if (!fault) continue;
    Diagnostic& report = context.refuse_key(entry, "resource " + shown(entry.key()) + " " + *fault);
    const std::string word = folded(entry.key());
    if (word == "gpu" || word == "gpus") {
      report.note("did you mean `nvidia.com/gpu`?");
    } else if (const auto near = suggest(entry.key(), kPlainResources)) {
      report.note("did you mean " + shown(*near) + "?");
    }
  }
}

void check_resource_amounts(View amounts, CheckContext& context) {
  for (View entry : Items(amounts)) {
    const auto amount = amount_of(entry);
    if (!amount) continue;
    if (amount->is_negative()) {
      context.refuse(entry, "an amount of " + shown(entry.key()) + " cannot be negative");
    } else if (is_extended_resource(entry.key()) && !is_whole(*amount)) {
      context.refuse(
          entry, shown(entry->text) + " of " + shown(entry.key()) + ": only whole ones can be had");
    }
  }
}

constinit const std::span<const Check> pod_resource_checks = kChecks;

}  // namespace trainyard
