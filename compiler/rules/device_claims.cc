#include "rules/device_claims.h"

#include <algorithm>

#include "plan/release.h"

namespace trainyard {
namespace {

/// resource.k8s.io as the releases of Kubernetes serve it, newest first (kubernetes/kubernetes
/// pkg/controlplane/apiserver/options, the storage versions of each release).
struct ClaimsApi {
  Release since;
  std::string_view version;
};
constexpr ClaimsApi kApis[] = {
    {{1, 34, 0}, "resource.k8s.io/v1"},
    {{1, 33, 0}, "resource.k8s.io/v1beta2"},
    {{1, 32, 0}, "resource.k8s.io/v1beta1"},
};

/// The version that the cluster has; without a Cluster the newest.
void set_api(RuleContext& context, OriginId asked) {
  Field<std::string_view>& api = context.plan.claims_api;
  if (api) return;
  const Text* stated =
      context.in.cluster == nullptr ? nullptr : &context.in.cluster->spec->kubernetes;
  const auto has = stated != nullptr && *stated ? release(**stated) : std::nullopt;
  if (!has) return context.set(api, kApis[0].version, context.because({asked}));
  const OriginId origin = context.because({context.from(*stated)});
  const auto found =
      std::ranges::find_if(kApis, [&](const ClaimsApi& each) { return *has >= each.since; });
  if (found != std::end(kApis)) return context.set(api, found->version, origin);
  context
      .report(DiagnosticKind::UnsupportedVersion, stated->span,
              "claims for devices need Kubernetes 1.32 or later, the Cluster has " +
                  std::string(**stated))
      .also(context.place(asked), "what asks for them");
  context.set(api, kApis[0].version, origin);
}

}  // namespace

const Located<GpuAllocation>* claims_of_gpus(const RuleContext& context, const NodeShape& nodes) {
  const Located<GpuAllocation>* said = nullptr;
  if (nodes.pool != nullptr && (*nodes.pool)->gpu->allocation) {
    said = &(*nodes.pool)->gpu->allocation;
  } else if (context.in.cluster != nullptr) {
    said = &context.in.cluster->spec->gpu->allocation;
  }
  const bool claims =
      said != nullptr && said->value_or(GpuAllocation::DevicePlugin) == GpuAllocation::Dra;
  return claims ? said : nullptr;
}

void add_claim(RuleContext& context, Role& role, std::string_view name,
               std::string_view of_template, OriginId origin) {
  Tree& tree = context.tree();
  const NodeId entry = tree.add_map(origin);
  tree.append(entry, "name", tree.add_string(name, origin));
  tree.append(entry, "resourceClaimTemplateName", tree.add_string(of_template, origin));
  role.resource_claims.push_back({entry, origin, true});
  const NodeId used = tree.add_map(origin);
  tree.append(used, "name", tree.add_string(name, origin));
  role.claims.push_back({used, origin, true});
}

void add_claim_template(RuleContext& context, const DeviceClaimPlan& claim) {
  auto& known = context.plan.device_claims;
  if (std::ranges::find(known, claim.name, &DeviceClaimPlan::name) != known.end()) return;
  set_api(context, claim.origin);
  known.push_back(claim);
}

}  // namespace trainyard
