#include "schema/api_defaults.h"

#include <algorithm>
#include <array>

namespace trainyard {
namespace {

struct ApiDefault {
  std::string_view definition;
  std::string_view property;
  std::string_view value;  // JSON
};

// Looked through and left out: a default that depends on another field: it has no single value
// (`apiGroup` of a Subject, `count` of a device request, amounts of a LimitRange, `dataSource` of a
// claim).
constexpr auto kDefaults = std::to_array<ApiDefault>({
    // kubernetes/kubernetes pkg/apis/core/v1/defaults.go, zz_generated.defaults.go
    {"io.k8s.api.core.v1.ObjectFieldSelector", "apiVersion", R"("v1")"},
    {"io.k8s.api.core.v1.ServiceAccountTokenProjection", "expirationSeconds", "3600"},
    {"io.k8s.api.core.v1.FileKeySelector", "optional", "false"},
    // A Quantity is a structure in Go, which `omitempty` does not leave out.
    {"io.k8s.api.core.v1.ResourceFieldSelector", "divisor", R"("0")"},
    // kubernetes/kubernetes pkg/apis/batch/v1/defaults.go
    {"io.k8s.api.batch.v1.PodFailurePolicyOnPodConditionsPattern", "status", R"("True")"},
    // kubernetes/kubernetes pkg/apis/networking/v1/defaults.go
    {"io.k8s.api.networking.v1.NetworkPolicyPort", "protocol", R"("TCP")"},
});

}  // namespace

std::string_view api_default(std::string_view definition, std::string_view property) {
  const auto found = std::ranges::find_if(kDefaults, [&](const ApiDefault& each) {
    return each.definition == definition && each.property == property;
  });
  return found == kDefaults.end() ? std::string_view() : found->value;
}

}  // namespace trainyard
