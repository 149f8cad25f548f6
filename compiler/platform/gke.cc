#include <algorithm>
#include <vector>

#include "diag/suggest.h"
#include "platform/platform.h"

namespace trainyard {
namespace {

constexpr std::string_view kGkeFabrics = "gke-";

void make(PlatformContext& context, const GkeNetwork& known) {
  GkeNetworkPlan made;
  made.name = context.given(known.name);
  made.vpc = context.given(known.vpc);
  made.subnet = context.given(known.subnet);
  made.device_mode = {words(*known.device_mode)[static_cast<std::size_t>(*known.device_mode)],
                      context.from(known.device_mode.span), true};
  context.plan.gke_networks.push_back(made);
}

/// A subnet has one Network, and a fabric's pods name only Networks that there are.
void check(PlatformContext& context) {
  const auto& networks = *context.cluster.network->gke_networks;
  for (std::size_t i = 0; i < networks.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const GkeNetwork& first = *networks[j];
      if (*first.vpc != *networks[i]->vpc || *first.subnet != *networks[i]->subnet) continue;
      context
          .report(DiagnosticKind::ConflictingValues, networks[i]->subnet.span,
                  "two networks are the subnet " + code(*first.subnet) + " of " + code(*first.vpc))
          .also(first.subnet.span, "the first one");
    }
  }
  if (networks.empty()) return;
  std::vector<std::string_view> names;
  for (const auto& known : networks) names.push_back(*known->name);
  for (const auto& fabric : *context.cluster.network->fabrics) {
    if (!fabric.key.starts_with(kGkeFabrics)) continue;
    for (const Text& name : *fabric.value->networks) {
      if (std::ranges::find(names, *name) != names.end()) continue;
      Diagnostic& report =
          context.report(DiagnosticKind::UnknownReference, name.span,
                         "there is no network " + code(*name) + " among the `gkeNetworks`");
      if (const auto near = suggest(*name, names)) {
        report.fix(name.span, std::string(*near), "did you mean " + code(*near) + "?");
      }
    }
  }
}

void run(PlatformContext& context) {
  check(context);
  for (const auto& known : *context.cluster.network->gke_networks) {
    if (!known->existing.value_or(false)) make(context, *known);
  }
}

}  // namespace

extern const PlatformStep gke_step{
    "platform-gke-networks",
    "Each secondary network of GKE that pods name is there, with the subnet behind it.", run};

}  // namespace trainyard
