#include <algorithm>
#include <array>
#include <string>

#include "admission/int_or_percent.h"
#include "admission/name_checks.h"
#include "admission/tables.h"
#include "check/check.h"
#include "diag/words.h"
#include "schema/names.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

void disruption_budget(View object, CheckContext& context) {
  constexpr auto policies = std::to_array<std::string_view>({"IfHealthyBudget", "AlwaysAllow"});
  const View spec = get(object, "spec");
  const View kept = get(spec, "minAvailable");
  const View lost = get(spec, "maxUnavailable");
  check_share(kept, true, context);
  check_share(lost, true, context);
  if (kept && lost) {
    context.refuse_key(lost, "a budget has `minAvailable` or `maxUnavailable`, not both")
        .also(context.place(kept), "the other one");
  }
  check_selector(get(spec, "selector"), context);
  context.allow_written(get(spec, "unhealthyPodEvictionPolicy"), "eviction policy", policies);
}

// ---- HorizontalPodAutoscaler ----------------------------------------------------------------

struct MetricType {
  std::string_view type;
  std::string_view field;  // that says more
};
constexpr MetricType kMetricTypes[] = {
    {"Object", "object"},
    {"Pods", "pods"},
    {"Resource", "resource"},
    {"External", "external"},
    {"ContainerResource", "containerResource"},
};

void positive(View value, CheckContext& context) {
  if (!value || !value->is_scalar()) return;
  const auto amount = Quantity::parse(value->text);
  if (!amount || (!amount->is_zero() && !amount->is_negative())) return;
  context.refuse(value, shown(value.key()) + " must be above 0");
}

/// The amount of a metric that is no resource of the pods.
void other_target(View source, View target, CheckContext& context) {
  const View whole = get(target, "value");
  const View each = get(target, "averageValue");
  if (source.key() == "pods") {
    if (!each) context.refuse(target, "no amount; expected `averageValue`");
  } else if (!whole && !each) {
    context.refuse(target, "no amount; expected `value` or `averageValue`");
  } else if (whole && each && source.key() == "external") {
    context.refuse(each, "a target has `value` or `averageValue`, not both");
  }
}

Fault why_not_of_container(std::string_view name) {
  constexpr auto plain = std::to_array<std::string_view>({"cpu", "memory", "ephemeral-storage"});
  if (Fault fault = why_not_label_key(name)) return fault;
  const bool known = name.find('/') != name.npos || name.starts_with("hugepages-") ||
                     std::ranges::find(plain, name) != plain.end();
  if (known) return std::nullopt;
  return "is no resource of a container; expected for instance `cpu` or `memory`";
}

/// What is scaled, or what a metric is of.
void reference(View to, CheckContext& context) {
  for (std::string_view key : {"kind", "name"}) {
    require_text(to, key, context);
    context.name(get(to, key), key, why_not_path_segment);
  }
}

void metric_name(View source, CheckContext& context) {
  if (source.key() == "resource" || source.key() == "containerResource") {
    require_text(source, "name", context);
    if (source.key() == "resource") return;
    context.name(get(source, "name"), "resource", why_not_of_container);
    require_text(source, "container", context);
    context.name(get(source, "container"), "container", why_not_dns_label);
    return;
  }
  if (source.key() == "object") reference(get(source, "describedObject"), context);
  const View metric = get(source, "metric");
  if (!metric || !metric->is_map()) return;
  require_text(metric, "name", context);
  context.name(get(metric, "name"), "metric", why_not_path_segment);
}

void metric_target(View source, CheckContext& context) {
  metric_name(source, context);
  constexpr auto types = std::to_array<std::string_view>({"Utilization", "Value", "AverageValue"});
  const View target = get(source, "target");
  require_text(target, "type", context);
  context.allow(get(target, "type"), "type of target", types);
  for (std::string_view key : {"value", "averageValue", "averageUtilization"}) {
    positive(get(target, key), context);
  }
  const bool of_resource = source.key() == "resource" || source.key() == "containerResource";
  if (!target) return;
  if (!of_resource) return other_target(source, target, context);
  const View share = get(target, "averageUtilization");
  const View amount = get(target, "averageValue");
  if (!share && !amount) {
    context.refuse(target, "no amount; expected `averageUtilization` or `averageValue`");
  } else if (share && amount) {
    context.refuse(amount, "a target has `averageUtilization` or `averageValue`, not both");
  }
}

void metric(View metric, CheckContext& context) {
  constexpr auto types = std::to_array<std::string_view>(
      {"Object", "Pods", "Resource", "External", "ContainerResource"});
  const View type = get(metric, "type");
  context.allow_written(type, "type of metric", types);
  for (const MetricType& row : kMetricTypes) {
    const View source = get(metric, row.field);
    if (row.type == string_of(type) && !source) {
      context.refuse(metric, "a metric of type " + shown(row.type) + " needs " + shown(row.field));
    } else if (source && !string_of(type).empty() && row.type != string_of(type)) {
      context.refuse_key(
          source, shown(row.field) + " does not go with a metric of type " + shown(type->text));
    }
    if (!source || !source->is_map()) continue;
    metric_target(source, context);
  }
}

void scaling_rules(View rules, CheckContext& context) {
  constexpr auto choices = std::to_array<std::string_view>({"Max", "Min", "Disabled"});
  constexpr auto types = std::to_array<std::string_view>({"Pods", "Percent"});
  constexpr int longest = 3600;  // seconds of a stabilization window
  constexpr int longest_period = 1800;
  if (!rules || !rules->is_map()) return;
  const View window = get(rules, "stabilizationWindowSeconds");
  const auto seconds = integer_of(window).value_or(0);
  if (seconds < 0 || seconds > longest) {
    context.refuse(window, "a stabilization window has 0 to 3600 seconds");
  }
  context.allow(get(rules, "selectPolicy"), "choice of policies", choices);
  const View tolerance = get(rules, "tolerance");
  if (tolerance && tolerance->is_scalar()) {
    const auto amount = Quantity::parse(tolerance->text);
    if (amount && amount->is_negative()) {
      context.refuse(tolerance, "a tolerance cannot be negative");
    }
  }
  const View policies = get(rules, "policies");
  if (policies && !has_items(policies)) {
    context.refuse(policies, "no policies; expected one at least, or none of the field");
  }
  for (View policy : items_at(rules, "policies")) {
    context.allow_written(get(policy, "type"), "type of scaling policy", types);
    positive(get(policy, "value"), context);
    const View period = get(policy, "periodSeconds");
    const auto length = integer_of(period);
    if (length && (*length <= 0 || *length > longest_period)) {
      context.refuse(period, "a period has 1 to 1800 seconds");
    }
  }
}

/// What is scaled is of a group; Kubernetes before 1.36 takes any of the core, later ones the
/// ReplicationController only (pkg/registry/autoscaling/horizontalpodautoscaler/strategy.go).
void scaled_group(View target, CheckContext& context) {
  if (context.before(36) || !target || !target->is_map()) return;
  const View version = get(target, "apiVersion");
  const std::string_view text = string_of(version);
  const auto slashes = std::ranges::count(text, '/');
  if (slashes == 0 && string_at(target, "kind") == "ReplicationController") return;
  if (slashes == 1 && !text.starts_with('/')) return;
  context.refuse(version ? version : target,
                 "`apiVersion` must be `group/version`; expected for instance `apps/v1`");
}

void autoscaler(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  const View least = get(spec, "minReplicas");
  const View most = get(spec, "maxReplicas");
  const auto low = integer_of(least);
  const auto high = integer_of(most);
  if (low && *low < 1) context.refuse(least, "at least 1 replica is kept");
  if (high && *high < 1) {
    context.refuse(most, "`maxReplicas` must be above 0");
  } else if (low && high && *high < *low) {
    context.refuse(most, "`maxReplicas` is below `minReplicas`")
        .also(context.place(least), "the least");
  }
  const View target = get(spec, "scaleTargetRef");
  reference(target, context);
  scaled_group(target, context);
  for (View one : items_at(spec, "metrics")) {
    if (one->is_map()) metric(one, context);
  }
  const View behavior = get(spec, "behavior");
  scaling_rules(get(behavior, "scaleUp"), context);
  scaling_rules(get(behavior, "scaleDown"), context);
}

constexpr Check kChecks[] = {
    {.name = "disruption-budget",
     .group = CheckGroup::Core,
     .on = "policy PodDisruptionBudget",
     .sentence = "A PodDisruptionBudget says how many pods stay or how many may go, not both.",
     .source = "kubernetes/kubernetes pkg/apis/policy/validation/validation.go "
               "ValidatePodDisruptionBudgetSpec",
     .object = disruption_budget},
    {.name = "autoscaler",
     .group = CheckGroup::Platform,
     .opt_in = true,
     .on = "autoscaling HorizontalPodAutoscaler",
     .sentence = "An autoscaler has bounds in order, and metrics that say what their type needs.",
     .source = "kubernetes/kubernetes pkg/apis/autoscaling/validation/validation.go",
     .object = autoscaler},
};

}  // namespace

constinit const std::span<const Check> availability_checks = kChecks;

}  // namespace trainyard
