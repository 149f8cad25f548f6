#include "policy/value_formats.h"

#include <algorithm>
#include <array>

#include "admission/int_or_percent.h"
#include "admission/name_checks.h"
#include "admission/networks.h"
#include "admission/ports.h"
#include "admission/resource_amounts.h"
#include "admission/schedule.h"
#include "admission/tolerations.h"
#include "manifest/go_text.h"

namespace trainyard {
namespace {

Fault why_no_duration(std::string_view text) {
  return go_duration(text) ? Fault() : Fault("is no duration such as `1h30m`");
}

void labels(View at, CheckContext& context) {
  check_labels(at, "label", context);
}

void share(View at, CheckContext& context) {
  check_share(at, true, context);
}

void resource_amounts(View at, CheckContext& context) {
  if (!at->is_map()) return;
  check_resource_names(at, context);
  check_resource_amounts(at, context);
}

constexpr auto kFormats = std::to_array<ValueFormat>({
    {.name = "configKey", .text = why_not_config_key},
    {.name = "domainPath", .text = why_not_domain_path},
    {.name = "duration", .text = why_no_duration},
    {.name = "envName", .text = why_not_env_name},
    {.name = "pathSegment", .text = why_not_path_segment},
    {.name = "portName", .text = why_not_port_name},
    {.name = "schedule", .text = why_no_schedule},
    {.name = "ipAddress", .value = check_address},
    {.name = "labelSelector", .value = check_selector},
    {.name = "labels", .value = labels},
    {.name = "network", .value = check_network},
    {.name = "port", .value = check_port_or_name},
    {.name = "portNumber", .value = check_port_number},
    {.name = "resourceAmounts", .value = resource_amounts},
    {.name = "share", .value = share},
    {.name = "tolerations", .value = check_tolerations},
});

}  // namespace

const ValueFormat* find_value_format(std::string_view name) {
  const auto* const found = std::ranges::find(kFormats, name, &ValueFormat::name);
  return found == kFormats.end() ? nullptr : found;
}

}  // namespace trainyard
