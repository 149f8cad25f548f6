#include "manifest/devices.h"

#include <algorithm>
#include <array>

#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

// The names under which the vendors' device plugins offer whole devices.
constexpr auto kGpuResources = std::to_array<std::string_view>(
    {"nvidia.com/gpu", "amd.com/gpu", "habana.ai/gaudi", "gpu.intel.com/i915", "gpu.intel.com/xe"});

constexpr std::size_t kShortest = std::string_view("amd.com/gpu").size();

std::int64_t amount_of(View value) {
  if (!value || !value->is_scalar()) return 0;
  const auto amount = Quantity::parse(value->text);
  return amount ? amount->whole_units().value_or(0) : 0;
}

}  // namespace

bool is_gpu_resource(std::string_view name) {
  return std::ranges::find(kGpuResources, name) != kGpuResources.end();
}

bool is_mig_resource(std::string_view name) {
  return name.starts_with("nvidia.com/mig-");
}

Devices devices_of(View resources) {
  Devices found;
  const View limits = get(resources, "limits");
  const auto count = [&found](View list) {
    for (View entry : Items(list)) {
      if (entry.key().size() < kShortest) continue;  // `cpu`, `memory`
      const bool slice = is_mig_resource(entry.key());
      if (!slice && !is_gpu_resource(entry.key())) continue;
      const std::int64_t amount = amount_of(entry);
      if (amount <= 0) continue;
      (slice ? found.slices : found.whole) += amount;
      if (!found.at) found.at = entry;
    }
  };
  if (limits && limits->is_map()) count(limits);
  const View requests = get(resources, "requests");
  if (found.all() == 0 && requests && requests->is_map()) count(requests);
  return found;
}

Devices operator+(const Devices& a, const Devices& b) {
  return {a.whole + b.whole, a.slices + b.slices, a.at ? a.at : b.at};
}

}  // namespace trainyard
