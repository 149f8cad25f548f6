#include <algorithm>
#include <string>

#include "check/check.h"
#include "check/read.h"
#include "check/tables.h"
#include "schema/words.h"

namespace trainyard {
namespace {

/// A field and the first Kubernetes whose API server keeps it unless told otherwise.
/// kubernetes/kubernetes pkg/features/kube_features.go
struct Gate {
  std::string_view path;
  int minor;
};

constexpr std::string_view kClaims = "resourceClaims";

constexpr Gate kPodGates[] = {
    {kClaims, 34},
    {"workloadRef", 35},
    {"schedulingGates", 27},
    {"hostnameOverride", 35},
    {"resources", 34},
    {"hostUsers", 33},
    {"initContainers[].restartPolicy", 29},
    {"containers[].restartPolicyRules", 35},
    {"containers[].resizePolicy", 33},
    {"volumes[].image", 35},
    {"topologySpreadConstraints[].matchLabelKeys", 27},
    {"securityContext.supplementalGroupsPolicy", 33},
    {"securityContext.appArmorProfile", 30},
};

constexpr Gate kJobGates[] = {
    {"podFailurePolicy", 26}, {"backoffLimitPerIndex", 29}, {"maxFailedIndexes", 29},
    {"successPolicy", 31},    {"podReplacementPolicy", 29}, {"managedBy", 32},
};

/// Whether the Cluster says that a driver hands out devices there: nobody installs one where the
/// API server drops claims. Without the API, before 1.32, there is none to switch on.
bool has_claims(const CheckContext& context) {
  const Cluster* cluster = context.cluster();
  if (cluster == nullptr || context.before(32)) return false;
  const auto claims = [](const Located<GpuAllocation>& said) {
    return said.value_or(GpuAllocation::DevicePlugin) == GpuAllocation::Dra;
  };
  return operator_version(*cluster, Operator::DraDriver) ||
         claims(cluster->spec->gpu->allocation) ||
         std::ranges::any_of(*cluster->spec->pools, [&](const Located<Pool>& pool) {
           return claims(pool->gpu->allocation);
         });
}

void gates(View spec, std::span<const Gate> rows, CheckContext& context) {
  if (!context.before(36)) return;  // all of them are there
  for (const Gate& gate : rows) {
    if (!context.before(gate.minor)) continue;
    if (gate.path == kClaims && has_claims(context)) continue;
    each_at(spec, gate.path, [&](View field) {
      if (field->kind == Kind::Null) return;
      context.dropped(field, shown(field->key) + " needs Kubernetes 1." +
                                 std::to_string(gate.minor) + "; " + text(context.version()) +
                                 " drops it unless it is switched on");
    });
  }
}

void pod_fields(const Pod& pod, CheckContext& context) {
  gates(pod.spec, kPodGates, context);
}

void job_fields(const Job& job, CheckContext& context) {
  gates(job.spec, kJobGates, context);
}

constexpr Check kChecks[] = {
    {.name = "pod-fields-by-version",
     .on = "pod",
     .sentence = "The given version of Kubernetes has the fields of the pod.",
     .source = "kubernetes/kubernetes pkg/features/kube_features.go",
     .pod = pod_fields},
    {.name = "job-fields-by-version",
     .on = "job",
     .sentence = "The given version of Kubernetes has the fields of the Job.",
     .source = "kubernetes/kubernetes pkg/features/kube_features.go",
     .job = job_fields},
};

}  // namespace

constinit const std::span<const Check> version_checks = kChecks;

}  // namespace trainyard
