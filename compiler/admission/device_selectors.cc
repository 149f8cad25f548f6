// Expressions that select devices, for claims and classes (dynamic resource allocation).

#include <string>

#include "admission/expressions.h"
#include "admission/tables.h"
#include "check/check.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// kubernetes/dynamic-resource-allocation cel/compile.go
void declare_device(ExpressionScope& scope, const CheckContext& context) {
  cel::Types& types = scope.types;
  const auto by_domain = [&](cel::TypeRef value) {
    return types.map(scope.text(), types.map(scope.text(), value));
  };
  std::vector<cel::TypeField> fields = {
      {"driver", scope.text()},
      {"attributes", by_domain(types.dynamic())},
      {"capacity", by_domain(types.simple(cel::Type::Quantity))},
  };
  // The feature gate DRAConsumableCapacity is on since 1.36.
  if (!context.before(36)) fields.push_back({"allowMultipleAllocations", scope.boolean()});
  scope.declare("device", types.object("device", std::move(fields)));
  scope.dialect.bindings = true;
}

void selectors(View holder, CheckContext& context) {
  for (View selector : items_at(holder, "selectors")) {
    ExpressionScope scope;
    declare_device(scope, context);
    check_expression(get(get(selector, "cel"), "expression"), scope, Outcome::BoolOrAny, context);
  }
}

void requests(View claim, CheckContext& context) {
  for (View request : items_at(get(claim, "devices"), "requests")) {
    selectors(request, context);  // as v1beta1 has them
    selectors(get(request, "exactly"), context);
    for (View each : items_at(request, "firstAvailable")) selectors(each, context);
  }
}

void device_selectors(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  const std::string_view kind = string_at(object, "kind");
  if (kind == "DeviceClass") {
    selectors(spec, context);
  } else {
    requests(kind == "ResourceClaim" ? spec : get(spec, "spec"), context);
  }
}

constexpr Check kChecks[] = {
    {.name = "device-selectors",
     .group = CheckGroup::Gpu,
     .on = "resource.k8s.io DeviceClass ResourceClaim ResourceClaimTemplate",
     .sentence = "An expression that selects devices compiles: it asks for what a device has, and "
                 "comes to yes or no.",
     .source = "kubernetes/dynamic-resource-allocation cel/compile.go",
     .object = device_selectors},
};

}  // namespace

constinit const std::span<const Check> device_selector_checks = kChecks;

}  // namespace trainyard
