#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "admission/resource_amounts.h"
#include "admission/tables.h"
#include "check/check.h"
#include "check/first_seen.h"
#include "diag/suggest.h"
#include "diag/words.h"
#include "schema/names.h"
#include "source/text_parts.h"
#include "source/word_table.h"
#include "tree/entry_index.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// An amount of null is one of 0.
std::optional<Quantity> amount_of(View value) {
  if (value && value.kind() == Kind::Null) return Quantity::of(0);
  return value && value->is_scalar() ? Quantity::parse(value->text) : std::nullopt;
}

// ---- PriorityClass --------------------------------------------------------------------------

/// The first default is taken, the next one is refused.
void one_default(View object, CheckContext& context) {
  const View own = get(object, "globalDefault");
  if (!is_true(own)) return;
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return;
  const std::string_view own_name = string_at(get(object, "metadata"), "name");
  for (View other : inventory->all("scheduling.k8s.io", "PriorityClass")) {
    const View mark = get(other, "globalDefault");
    const std::string_view name = string_at(get(other, "metadata"), "name");
    if (name == own_name) return;  // those behind are refused themselves
    if (!is_true(mark)) continue;
    context.refuse(own, "PriorityClass " + shown(name) + " is the default already")
        .also(context.place(mark), "the first one");
    return;
  }
}

// ---- LimitRange -----------------------------------------------------------------------------

/// Two places of one resource whose amounts have an order.
struct Order {
  std::string_view less, more;
};
constexpr Order kOrders[] = {
    {"min", "max"},     {"min", "defaultRequest"},     {"defaultRequest", "max"},
    {"default", "max"}, {"defaultRequest", "default"}, {"min", "default"},
};

/// Resources of Kubernetes itself; all others have a domain.
/// kubernetes/kubernetes pkg/apis/core/helper/helpers.go
constexpr auto kQuotaResources = word_table<
    "cpu memory ephemeral-storage requests.cpu requests.memory requests.storage "
    "requests.ephemeral-storage limits.cpu limits.memory limits.ephemeral-storage pods "
    "resourcequotas services replicationcontrollers secrets persistentvolumeclaims configmaps "
    "services.nodeports services.loadbalancers">;
constexpr auto kPodResources = std::to_array<std::string_view>(
    {"pods", "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"});
/// Those that are counted, besides all with a domain.
constexpr auto kCounted = std::to_array<std::string_view>(
    {"pods", "resourcequotas", "services", "replicationcontrollers", "secrets",
     "persistentvolumeclaims", "configmaps", "services.nodeports", "services.loadbalancers"});

/// `more` is one that only this place knows.
void resource_names(View amounts, std::string_view more, CheckContext& context) {
  if (!amounts || !amounts->is_map()) return;
  for (View entry : Items(amounts)) {
    const std::string_view name = entry.key();
    if (const Fault fault = why_not_label_key(name)) {
      context.refuse_key(entry, "resource name " + shown(name) + " " + *fault);
      continue;
    }
    const bool pages = name.starts_with("hugepages-") || name.starts_with("requests.hugepages-");
    const bool has_domain = name.find('/') != std::string_view::npos;
    if (has_domain || pages || name == more || is_one_of(name, kQuotaResources)) continue;
    Diagnostic& report = context.refuse_key(entry, "there is no resource " + shown(name) +
                                                       "; those that are not of Kubernetes have a "
                                                       "domain, as in `nvidia.com/gpu`");
    if (const auto near = suggest(name, kQuotaResources)) {
      report.note("did you mean " + shown(*near) + "?");
    }
  }
}

/// No amounts within the bounds are further apart than the bounds themselves.
void reachable_ratio(View limit, View ratio, const Quantity& amount, CheckContext& context) {
  const View least = get(limit, "min")[ratio.key()];
  const View most = get(limit, "max")[ratio.key()];
  const auto low = amount_of(least);
  const auto high = amount_of(most);
  if (!low || !high || low->is_zero()) return;
  if (amount.approximate() * low->approximate() <= high->approximate()) return;
  context.refuse(ratio, "a ratio of " + shown(ratio->text) + " is more than that of `max` to `min`")
      .also(context.place(most), "the most");
}

void limit(View limit, CheckContext& context) {
  const View type = get(limit, "type");
  const bool of_pod = string_of(type) == "Pod";
  const bool of_claim = string_of(type) == "PersistentVolumeClaim";
  for (std::string_view key : {"min", "max", "default", "defaultRequest", "maxLimitRequestRatio"}) {
    const View amounts = get(limit, key);
    if (of_pod || string_of(type) == "Container") {
      if (amounts && amounts->is_map()) check_resource_names(amounts, context);
    } else {
      resource_names(amounts, "storage", context);
    }
    if (of_pod && (key == "default" || key == "defaultRequest") && has_items(amounts)) {
      context.refuse_key(amounts, "a limit of type `Pod` has no " + shown(key));
    }
  }
  for (const Order& order : kOrders) {
    if (of_pod && order.less != "min") continue;
    if (of_pod && order.more != "max") continue;
    const EntryIndex more(get(limit, order.more));
    for (View small : entries_at(limit, order.less)) {
      const View large = more[small.key()];
      const auto a = amount_of(small);
      const auto b = amount_of(large);
      if (!a || !b || *a <= *b) continue;
      context
          .refuse(small, shown(order.less) + " of " + shown(small.key()) + " is above its " +
                             shown(order.more))
          .also(context.place(large), "that is less");
    }
  }
  for (View ratio : entries_at(limit, "maxLimitRequestRatio")) {
    const auto amount = amount_of(ratio);
    if (amount && *amount < Quantity::of(1)) {
      context.refuse(ratio, "a ratio is 1 at least");
    } else if (amount) {
      reachable_ratio(limit, ratio, *amount, context);
    }
  }
  // An amount of null counts as 0.
  const bool sized = get(limit, "min")["storage"] || get(limit, "max")["storage"];
  if (of_claim && !sized) {
    context.refuse(limit, "a limit of claims needs `min` or `max` of `storage`");
  }
}

void limit_range(View object, CheckContext& context) {
  FirstSeen seen;
  for (View one : items_at(get(object, "spec"), "limits")) {
    if (!one->is_map()) continue;
    limit(one, context);
    const View type = get(one, "type");
    if (type && type.kind() == Kind::String && type->text.empty()) {
      context.refuse(type,
                     "the type is empty; expected `Pod`, `Container` or "
                     "`PersistentVolumeClaim`");
    }
    if (string_of(type).empty()) continue;
    if (const View first = seen.first(type->text, type)) {
      context.refuse(type, "two limits are of type " + shown(type->text))
          .also(context.place(first), "the first one");
    }
    if (type->text.find('/') == std::string_view::npos) {
      constexpr auto types =
          std::to_array<std::string_view>({"Pod", "Container", "PersistentVolumeClaim"});
      context.allow(type, "type of limit", types);
    }
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
  context.allow_written(scope, "scope", kScopes);
  context.allow_written(op, "operator of a scope", operators);
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

/// Whether pods of this scope use the resource at all.
bool scope_knows(std::string_view scope, std::string_view resource) {
  if (!is_one_of(resource, kQuotaResources)) return true;
  if (scope == "BestEffort") return resource == "pods";
  if (scope == "VolumeAttributesClass") {
    return resource == "persistentvolumeclaims" || resource == "requests.storage";
  }
  return is_one_of(resource, kPodResources);
}

/// What is limited has to be something of the pods or claims in the scope.
void counted_in(View scope, View spec, CheckContext& context) {
  for (View entry : entries_at(spec, "hard")) {
    if (scope_knows(scope->text, entry.key())) continue;
    context
        .refuse(scope, "what is in the scope " + shown(scope->text) + " is not counted by " +
                           shown(entry.key()))
        .also(context.place(entry), "the quota");
  }
}

void scopes(View spec, CheckContext& context) {
  constexpr std::pair<std::string_view, std::string_view> opposites[] = {
      {"BestEffort", "NotBestEffort"}, {"Terminating", "NotTerminating"}};
  std::vector<View> seen;
  for (View scope : items_at(spec, "scopes")) {
    context.allow_written(scope, "scope", kScopes);
    if (!is_one_of(string_of(scope), kScopes)) continue;
    counted_in(scope, spec, context);
    for (View first : seen) {
      for (const auto& [a, b] : opposites) {
        const bool exclude =
            (first->text == a && scope->text == b) || (first->text == b && scope->text == a);
        if (!exclude) continue;
        context.refuse(scope, "nothing is in both scopes, " + shown(a) + " and " + shown(b))
            .also(context.place(first), "the other one");
      }
    }
    seen.push_back(scope);
  }
}

void resource_quota(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  resource_names(get(spec, "hard"), "", context);
  for (View entry : entries_at(spec, "hard")) {
    const auto amount = amount_of(entry);
    const bool whole = is_one_of(entry.key(), kCounted) || is_extended_resource(entry.key());
    if (amount && amount->is_negative()) {
      context.refuse(entry, "a quota cannot be negative");
    } else if (amount && whole && !is_whole(*amount)) {
      context.refuse(entry, shown(entry->text) + " of " + shown(entry.key()) +
                                ": they are counted, and a half is none");
    }
  }
  scopes(spec, context);
  for (View term : items_at(get(spec, "scopeSelector"), "matchExpressions")) {
    if (!term->is_map()) continue;
    scope_term(term, context);
    const View scope = get(term, "scopeName");
    if (is_one_of(string_of(scope), kScopes)) counted_in(scope, spec, context);
  }
}

constexpr Check kChecks[] = {
    {.name = "one-default-priority",
     .group = CheckGroup::Queue,
     .on = "scheduling.k8s.io PriorityClass",
     .sentence = "One PriorityClass at most is for all pods that name none.",
     .source = "kubernetes/kubernetes plugin/pkg/admission/priority/admission.go "
               "validatePriorityClass",
     .object = one_default},
    {.name = "limit-range",
     .group = CheckGroup::Queue,
     .on = "core LimitRange",
     .sentence = "The amounts of a LimitRange are in order, once for each type.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go ValidateLimitRange",
     .object = limit_range},
    {.name = "resource-quota",
     .group = CheckGroup::Queue,
     .on = "core ResourceQuota",
     .sentence = "A ResourceQuota limits resources by scopes that exist.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go "
               "ValidateResourceQuotaSpec",
     .object = resource_quota},
};

}  // namespace

constinit const std::span<const Check> quota_checks = kChecks;

}  // namespace trainyard
