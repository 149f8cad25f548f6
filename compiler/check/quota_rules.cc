#include <array>
#include <optional>
#include <string>
#include <vector>

#include "check/check.h"
#include "check/read.h"
#include "check/tables.h"
#include "schema/names.h"
#include "schema/words.h"
#include "tree/quantity.h"

namespace trainyard {
namespace {

std::optional<Quantity> amount_of(View value) {
  return value && value->is_scalar() ? Quantity::parse(value->text) : std::nullopt;
}

// ---- PriorityClass --------------------------------------------------------------------------

void priority_class(View object, CheckContext& context) {
  constexpr auto policies = std::to_array<std::string_view>({"PreemptLowerPriority", "Never"});
  constexpr std::int64_t highest = 1'000'000'000;
  const View name = get(get(object, "metadata"), "name");
  const bool system = string_of(name).starts_with("system-");
  const bool known =
      string_of(name) == "system-cluster-critical" || string_of(name) == "system-node-critical";
  if (system && !known) {
    context.refuse(name, "names that begin with `system-` belong to Kubernetes");
  }
  const View value = get(object, "value");
  if (!system && integer_of(value).value_or(0) > highest) {
    context.refuse(value, "a priority is at most 1000000000; those above belong to Kubernetes");
  }
  context.allow(get(object, "preemptionPolicy"), "preemption policy", policies);
}

// ---- LimitRange -----------------------------------------------------------------------------

/// What is said of one resource, at two places whose amounts have an order.
struct Order {
  std::string_view less, more;
};
constexpr Order kOrders[] = {
    {"min", "max"},     {"min", "defaultRequest"},     {"defaultRequest", "max"},
    {"default", "max"}, {"defaultRequest", "default"}, {"min", "default"},
};

void resource_names(View amounts, CheckContext& context) {
  if (!amounts || !amounts->is_map()) return;
  for (View entry : Items(amounts)) {
    if (const Fault fault = why_not_label_key(entry->key)) {
      context.refuse_key(entry, "resource name " + shown(entry->key) + " " + *fault);
    }
  }
}

void limit(View limit, CheckContext& context) {
  const View type = get(limit, "type");
  const bool of_pod = string_of(type) == "Pod";
  const bool of_claim = string_of(type) == "PersistentVolumeClaim";
  for (std::string_view key : {"min", "max", "default", "defaultRequest", "maxLimitRequestRatio"}) {
    const View amounts = get(limit, key);
    resource_names(amounts, context);
    if (of_pod && (key == "default" || key == "defaultRequest") && has_items(amounts)) {
      context.refuse_key(amounts, "a limit of type `Pod` has no " + shown(key));
    }
  }
  for (const Order& order : kOrders) {
    if (of_pod && order.less != "min") continue;
    if (of_pod && order.more != "max") continue;
    for (View small : entries_at(limit, order.less)) {
      const View large = get(get(limit, order.more), small->key);
      const auto a = amount_of(small);
      const auto b = amount_of(large);
      if (!a || !b || *a <= *b) continue;
      context
          .refuse(small, shown(order.less) + " of " + shown(small->key) + " is above its " +
                             shown(order.more))
          .also(context.place(large), "that is less");
    }
  }
  for (View ratio : entries_at(limit, "maxLimitRequestRatio")) {
    const auto amount = amount_of(ratio);
    if (amount && *amount < Quantity::of(1)) context.refuse(ratio, "a ratio is 1 at least");
  }
  // An amount of null counts as 0.
  const bool sized = get(limit, "min")["storage"] || get(limit, "max")["storage"];
  if (of_claim && !sized) {
    context.refuse(limit, "a limit of claims needs `min` or `max` of `storage`");
  }
}

void limit_range(View object, CheckContext& context) {
  std::vector<View> seen;
  for (View one : items_at(get(object, "spec"), "limits")) {
    if (!one->is_map()) continue;
    limit(one, context);
    const View type = get(one, "type");
    if (string_of(type).empty()) continue;
    for (View first : seen) {
      if (first->text != type->text) continue;
      context.refuse(type, "two limits are of type " + shown(type->text))
          .also(context.place(first), "the first one");
    }
    if (type->text.find('/') == std::string_view::npos) {
      constexpr auto types =
          std::to_array<std::string_view>({"Pod", "Container", "PersistentVolumeClaim"});
      context.allow(type, "type of limit", types);
    }
    seen.push_back(type);
  }
}

// ---- ResourceQuota --------------------------------------------------------------------------

constexpr auto kScopes = std::to_array<std::string_view>(
    {"BestEffort", "NotBestEffort", "Terminating", "NotTerminating", "PriorityClass",
     "CrossNamespacePodAffinity", "VolumeAttributesClass"});

void scope_term(View term, CheckContext& context) {
  constexpr auto operators =
      std::to_array<std::string_view>({"In", "NotIn", "Exists", "DoesNotExist"});
  const View scope = get(term, "scopeName");
  const View op = get(term, "operator");
  const View values = get(term, "values");
  context.allow(scope, "scope", kScopes);
  context.allow(op, "operator of a scope", operators);
  const std::string_view word = string_of(op);
  const std::string_view name = string_of(scope);
  const bool valued = name == "PriorityClass" || name == "VolumeAttributesClass";
  if (!name.empty() && !valued && !word.empty() && word != "Exists") {
    context.refuse(op, "scope " + shown(name) + " goes with `Exists` only");
  } else if ((word == "In" || word == "NotIn") && !has_items(values)) {
    context.refuse(term, "operator " + shown(word) + " needs `values`, and there are none");
  } else if ((word == "Exists" || word == "DoesNotExist") && has_items(values)) {
    context.refuse(values, "operator " + shown(word) + " takes no `values`");
  }
}

void resource_quota(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  resource_names(get(spec, "hard"), context);
  for (View entry : entries_at(spec, "hard")) {
    const auto amount = amount_of(entry);
    if (amount && amount->is_negative()) context.refuse(entry, "a quota cannot be negative");
  }
  for (View scope : items_at(spec, "scopes")) context.allow(scope, "scope", kScopes);
  for (View term : items_at(get(spec, "scopeSelector"), "matchExpressions")) {
    if (term->is_map()) scope_term(term, context);
  }
}

constexpr Check kChecks[] = {
    {.name = "priority-class",
     .on = "scheduling.k8s.io PriorityClass",
     .sentence = "A PriorityClass has a value that users may give, and a policy that exists.",
     .source = "kubernetes/kubernetes pkg/apis/scheduling/validation/validation.go "
               "ValidatePriorityClass",
     .object = priority_class},
    {.name = "limit-range",
     .on = "core LimitRange",
     .sentence = "The amounts of a LimitRange are in order, once for each type.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go ValidateLimitRange",
     .object = limit_range},
    {.name = "resource-quota",
     .on = "core ResourceQuota",
     .sentence = "A ResourceQuota limits resources by scopes that exist.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go "
               "ValidateResourceQuotaSpec",
     .object = resource_quota},
};

}  // namespace

constinit const std::span<const Check> quota_checks = kChecks;

}  // namespace trainyard
