// Claims for devices (dynamic resource allocation), and the classes that they ask for.

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "admission/name_checks.h"
#include "admission/resource_amounts.h"
#include "admission/tables.h"
#include "check/check.h"
#include "schema/names.h"
#include "source/characters.h"
#include "tree/node_words.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kSource =
    "kubernetes/kubernetes pkg/apis/resource/validation/validation.go";
constexpr std::string_view kClaims = "resource.k8s.io ResourceClaim ResourceClaimTemplate";

// kubernetes/kubernetes pkg/apis/resource/types.go
constexpr std::uint32_t kMostRequests = 32;
constexpr std::uint32_t kMostConstraints = 32;
constexpr std::uint32_t kMostConfigs = 32;
constexpr std::uint32_t kMostSelectors = 32;
constexpr std::uint32_t kMostAlternatives = 8;
constexpr std::size_t kExpressionBytes = 10 * 1024;
constexpr std::size_t kIdentifierSize = 32;

/// False when there are more items than the API accepts: nothing more is reported then.
bool few_enough(View list, std::uint32_t most, CheckContext& context) {
  if (!list || !list->is_seq() || list->size <= most) return true;
  context.refuse(list, std::to_string(list->size) + " items, at most " + std::to_string(most) +
                           " are allowed");
  return false;
}

void selectors(View list, CheckContext& context) {
  if (!list || !list->is_seq() || !few_enough(list, kMostSelectors, context)) return;
  for (View selector : Items(list)) {
    if (!selector->is_map()) continue;
    const View cel = get(selector, "cel");
    if (!cel) {
      context.refuse(selector, "a selector of devices needs `cel`");
      continue;
    }
    require_text(cel, "expression", context);
    const View expression = get(cel, "expression");
    if (string_of(expression).size() > kExpressionBytes) {
      context.refuse(expression, "the expression has " + std::to_string(expression->text.size()) +
                                     " bytes, at most 10240 are allowed");
    }
  }
}

void device_toleration(View toleration, CheckContext& context) {
  constexpr auto operators = std::to_array<std::string_view>({"Exists", "Equal"});
  constexpr auto effects = std::to_array<std::string_view>({"NoSchedule", "NoExecute", "None"});
  const View key = get(toleration, "key");
  if (is_set(key)) check_label_key(key, context);
  const View op = get(toleration, "operator");
  context.allow(op, "operator of a toleration", operators);
  context.allow(get(toleration, "effect"), "effect of a taint", effects);
  const View value = get(toleration, "value");
  if (string_of(op) == "Exists" && is_set(value)) {
    context.refuse(value, "a toleration with `Exists` takes no `value`");
  } else if (const Fault fault = why_not_label_value(string_of(value))) {
    context.refuse(value, "taint value " + shown(value->text) + " " + *fault);
  }
}

/// What is asked for: so many devices of a class.
void devices(View request, CheckContext& context) {
  constexpr auto modes = std::to_array<std::string_view>({"ExactCount", "All"});
  require_text(request, "deviceClassName", context);
  context.name(get(request, "deviceClassName"), "DeviceClass", why_not_subdomain);
  selectors(get(request, "selectors"), context);
  const View mode = get(request, "allocationMode");
  context.allow(mode, "allocation mode", modes);
  const View count = get(request, "count");
  const std::int64_t number = integer_of(count).value_or(0);
  if (string_of(mode) == "All" && number != 0) {
    context.refuse(count, "with `allocationMode: All` there is no `count`");
  } else if (number < 0) {
    context.refuse(count, "a count of devices is above 0, not " + std::string(count->text));
  }
  for (View each : items_at(request, "tolerations")) {
    if (each->is_map()) device_toleration(each, context);
  }
}

void request_name(View request, CheckContext& context) {
  require_text(request, "name", context);
  context.name(get(request, "name"), "request", why_not_dns_label);
}

/// v1beta1 has the fields of `exactly` in the request itself.
View exact_part(View request, View object) {
  if (string_at(object, "apiVersion") != "resource.k8s.io/v1beta1") return get(request, "exactly");
  for (std::string_view key :
       {"deviceClassName", "selectors", "allocationMode", "count", "adminAccess", "tolerations"}) {
    const View value = get(request, key);
    if (is_set(value)) return request;
  }
  return {};
}

void request(View request, View object, CheckContext& context) {
  request_name(request, context);
  const View exactly = exact_part(request, object);
  const View first = get(request, "firstAvailable");
  const bool flat = string_at(object, "apiVersion") == "resource.k8s.io/v1beta1";
  const std::string one = flat ? "`deviceClassName`" : "`exactly`";
  if (exactly && has_items(first)) {
    context.refuse_key(first, "a request has " + one + " or `firstAvailable`, not both");
  } else if (exactly) {
    devices(exactly, context);
  } else if (!has_items(first)) {
    context.refuse(request,
                   "the request asks for nothing; expected " + one + " or `firstAvailable`");
  } else if (few_enough(first, kMostAlternatives, context)) {
    unique_names(first, "request", context);
    for (View each : Items(first)) {
      if (!each->is_map()) continue;
      request_name(each, context);
      devices(each, context);
    }
  }
}

View device_claim(View object) {
  const View spec = get(object, "spec");
  const bool templ = string_at(object, "kind") == "ResourceClaimTemplate";
  return get(templ ? get(spec, "spec") : spec, "devices");
}

void claim_template(View object, CheckContext& context) {
  check_template_metadata(get(get(object, "spec"), "metadata"), "a claim from a template", context);
}

void requests(View object, CheckContext& context) {
  const View list = get(device_claim(object), "requests");
  if (!list || !list->is_seq() || !few_enough(list, kMostRequests, context)) return;
  unique_names(list, "request", context);
  for (View each : Items(list)) {
    if (each->is_map()) request(each, object, context);
  }
}

/// Whether a claim has this request, or `request/alternative`.
bool has_request(View claim, std::string_view name) {
  const std::size_t slash = name.find('/');
  for (View each : items_at(claim, "requests")) {
    if (string_at(each, "name") != name.substr(0, slash)) continue;
    if (slash == std::string_view::npos) return true;
    for (View alternative : items_at(each, "firstAvailable")) {
      if (string_at(alternative, "name") == name.substr(slash + 1)) return true;
    }
    return false;
  }
  return false;
}

void references(View holder, View claim, CheckContext& context) {
  const View list = get(holder, "requests");
  if (!list || !list->is_seq() || !few_enough(list, kMostRequests, context)) return;
  std::vector<std::string_view> seen;
  for (View name : Items(list)) {
    if (name.kind() != Kind::String) continue;
    if (std::ranges::find(seen, name->text) != seen.end()) {
      context.refuse(name, "request " + shown(name->text) + " is named twice");
    } else if (!has_request(claim, name->text)) {
      context.refuse(name, "the claim has no request " + shown(name->text));
    }
    seen.push_back(name->text);
  }
}

/// `domain/identifier`.
void attribute(View name, CheckContext& context) {
  if (!name || name.kind() != Kind::String) return;
  const std::string_view text = name->text;
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    context.refuse(name, shown(text) +
                             " has no domain; expected an attribute such as "
                             "`gpu.nvidia.com/model`");
    return;
  }
  if (text.find('/', slash + 1) != std::string_view::npos) return;  // ignored by the server
  const std::string_view id = text.substr(slash + 1);
  const std::string domain = lower_case(text.substr(0, slash));
  const auto letter = [](char c) { return is_letter(c) || c == '_'; };
  const bool identifier = !id.empty() && id.size() <= kIdentifierSize && letter(id.front()) &&
                          std::ranges::all_of(id, [&](char c) { return letter(c) || is_digit(c); });
  if (!identifier) {
    context.refuse(name, shown(id) +
                             " is no name of an attribute; expected at most 32 letters, "
                             "digits and underscores, no digit first");
  } else if (const Fault fault = domain.size() > kLabelSize ? Fault("has more than 63 characters")
                                                            : why_not_subdomain(domain)) {
    context.refuse(name, "domain " + shown(text.substr(0, slash)) + " " + *fault);
  }
}

/// Settings that are for a driver only.
void configs(View list, View claim, CheckContext& context) {
  if (!list || !list->is_seq() || !few_enough(list, kMostConfigs, context)) return;
  for (View config : Items(list)) {
    if (!config->is_map()) continue;
    if (claim) references(config, claim, context);
    const View opaque = get(config, "opaque");
    if (!opaque) {
      context.refuse(config, "a setting of devices needs `opaque`");
      continue;
    }
    require_text(opaque, "driver", context);
    check_driver_name(get(opaque, "driver"), "driver", context);
    const View parameters = get(opaque, "parameters");
    if (!parameters) {
      context.refuse(opaque, "`parameters` for the driver are missing");
    } else if (!parameters->is_map()) {
      context.refuse(parameters, "parameters of a driver are a map, not " + described(*parameters));
    }
  }
}

void constraints(View object, CheckContext& context) {
  const View claim = device_claim(object);
  const View list = get(claim, "constraints");
  if (few_enough(list, kMostConstraints, context)) {
    for (View each : items_at(claim, "constraints")) {
      if (!each->is_map()) continue;
      references(each, claim, context);
      const View match = get(each, "matchAttribute");
      const View distinct = get(each, "distinctAttribute");
      if (!match && !distinct) {
        context.refuse(each, "the constraint says nothing; expected `matchAttribute`");
      }
      attribute(match ? match : distinct, context);
    }
  }
  configs(get(claim, "config"), claim, context);
}

void device_class(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  selectors(get(spec, "selectors"), context);
  configs(get(spec, "config"), {}, context);
  const View extended = get(spec, "extendedResourceName");
  if (!extended || extended.kind() != Kind::String) return;
  const Fault fault = why_not_label_key(extended->text);
  if (fault || !is_extended_resource(extended->text)) {
    context.refuse(extended, shown(extended->text) +
                                 " is no extended resource; expected one such "
                                 "as `example.com/gpu`");
  }
}

constexpr Check kChecks[] = {
    {.name = "device-requests",
     .group = CheckGroup::Gpu,
     .on = kClaims,
     .sentence = "A request for devices has a name of its own, and asks for devices of a class, or "
                 "for the first of several that is there.",
     .source = kSource,
     .object = requests},
    {.name = "device-constraints",
     .group = CheckGroup::Gpu,
     .on = kClaims,
     .sentence = "Constraints and settings of a claim for devices are about requests that it has.",
     .source = kSource,
     .object = constraints},
    {.name = "device-claim-template",
     .group = CheckGroup::Gpu,
     .on = "resource.k8s.io ResourceClaimTemplate",
     .sentence =
         "A template of claims gives them labels and annotations, and nothing else of their "
         "metadata.",
     .source = kSource,
     .object = claim_template},
    {.name = "device-class",
     .group = CheckGroup::Gpu,
     .on = "resource.k8s.io DeviceClass",
     .sentence = "A DeviceClass selects devices by expressions, and has settings for drivers.",
     .source = kSource,
     .object = device_class},
};

}  // namespace

const std::span<const Check> device_claim_checks = kChecks;

}  // namespace trainyard
