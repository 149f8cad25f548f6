#include <algorithm>
#include <string>

#include "admission/tables.h"
#include "check/check.h"
#include "diag/words.h"
#include "spec/cluster.h"
#include "tree/typed_fields.h"

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

/// Whether the Cluster says that a driver hands out devices there: it is useless where the
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
      if (field.kind() == Kind::Null) return;
      context.report_dropped_field(
          field, shown(field.key()) + " needs Kubernetes 1." + std::to_string(gate.minor) + "; " +
                     text(context.version()) + " drops it unless it is switched on");
    });
  }
}

void pod_fields(const Pod& pod, CheckContext& context) {
  gates(pod.spec, kPodGates, context);
}

void job_fields(const Job& job, CheckContext& context) {
  gates(job.spec, kJobGates, context);
}

/// A kind and the first Kubernetes whose API server can serve it in this version of its group: the
/// marks `prerelease-lifecycle-gen:introduced` of kubernetes/api. Those of before 1.20 are left
/// out.
struct Served {
  std::string_view api_version;
  std::string_view kind;
  int minor;
};

constexpr Served kServed[] = {
    {"admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", 30},
    {"admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding", 30},
    {"admissionregistration.k8s.io/v1", "MutatingAdmissionPolicy", 36},
    {"admissionregistration.k8s.io/v1", "MutatingAdmissionPolicyBinding", 36},
    {"admissionregistration.k8s.io/v1beta1", "MutatingAdmissionPolicy", 34},
    {"admissionregistration.k8s.io/v1beta1", "MutatingAdmissionPolicyBinding", 34},
    {"autoscaling/v2", "HorizontalPodAutoscaler", 23},
    {"batch/v1", "CronJob", 21},
    {"certificates.k8s.io/v1beta1", "ClusterTrustBundle", 33},
    {"discovery.k8s.io/v1", "EndpointSlice", 21},
    {"flowcontrol.apiserver.k8s.io/v1", "FlowSchema", 29},
    {"flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfiguration", 29},
    {"networking.k8s.io/v1", "IPAddress", 33},
    {"networking.k8s.io/v1", "ServiceCIDR", 33},
    {"node.k8s.io/v1", "RuntimeClass", 20},
    {"policy/v1", "PodDisruptionBudget", 21},
    {"resource.k8s.io/v1", "DeviceClass", 34},
    {"resource.k8s.io/v1", "ResourceClaim", 34},
    {"resource.k8s.io/v1", "ResourceClaimTemplate", 34},
    {"resource.k8s.io/v1", "ResourceSlice", 34},
    {"resource.k8s.io/v1alpha3", "DeviceTaintRule", 33},
    {"resource.k8s.io/v1beta1", "DeviceClass", 32},
    {"resource.k8s.io/v1beta1", "ResourceClaim", 32},
    {"resource.k8s.io/v1beta1", "ResourceClaimTemplate", 32},
    {"resource.k8s.io/v1beta1", "ResourceSlice", 32},
    {"resource.k8s.io/v1beta2", "DeviceClass", 33},
    {"resource.k8s.io/v1beta2", "DeviceTaintRule", 36},
    {"resource.k8s.io/v1beta2", "ResourceClaim", 33},
    {"resource.k8s.io/v1beta2", "ResourceClaimTemplate", 33},
    {"resource.k8s.io/v1beta2", "ResourceSlice", 33},
    {"scheduling.k8s.io/v1alpha1", "Workload", 35},
    {"scheduling.k8s.io/v1alpha2", "PodGroup", 36},
    {"scheduling.k8s.io/v1alpha2", "Workload", 36},
    {"storage.k8s.io/v1", "CSIStorageCapacity", 24},
    {"storage.k8s.io/v1", "VolumeAttributesClass", 34},
    {"storage.k8s.io/v1beta1", "VolumeAttributesClass", 31},
};

/// The newest form of the same kind that this Kubernetes has; null for none.
const Served* served_instead(const Served& wanted, const CheckContext& context) {
  const Served* best = nullptr;
  const std::string_view group = group_of(wanted.api_version);
  for (const Served& each : kServed) {
    if (each.kind != wanted.kind || group_of(each.api_version) != group) continue;
    if (context.before(each.minor)) continue;
    if (best == nullptr || each.minor > best->minor) best = &each;
  }
  return best;
}

void served(View object, CheckContext& context) {
  if (!context.before(36)) return;  // all of them are there
  const View version = get(object, "apiVersion");
  const std::string_view kind = string_at(object, "kind");
  const auto row = std::ranges::find_if(kServed, [&](const Served& each) {
    return each.kind == kind && each.api_version == string_of(version);
  });
  if (row == std::end(kServed) || !context.before(row->minor)) return;
  const std::string name = shown(version->text) + " " + std::string(kind);
  Diagnostic& told =
      context.refuse(version, name + " is served from Kubernetes 1." + std::to_string(row->minor) +
                                  " on, not by " + text(context.version()));
  if (const Served* other = served_instead(*row, context)) {
    told.note(text(context.version()) + " has it in " + shown(other->api_version));
  }
}

constexpr Check kChecks[] = {
    {.name = "served-api-version",
     .group = CheckGroup::Core,
     .on =
         "admissionregistration.k8s.io ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding "
         "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding; autoscaling "
         "HorizontalPodAutoscaler; batch CronJob; certificates.k8s.io ClusterTrustBundle; "
         "discovery.k8s.io EndpointSlice; flowcontrol.apiserver.k8s.io FlowSchema "
         "PriorityLevelConfiguration; networking.k8s.io IPAddress ServiceCIDR; node.k8s.io "
         "RuntimeClass; policy PodDisruptionBudget; resource.k8s.io DeviceClass ResourceClaim "
         "ResourceClaimTemplate ResourceSlice DeviceTaintRule; scheduling.k8s.io Workload "
         "PodGroup; storage.k8s.io CSIStorageCapacity VolumeAttributesClass",
     .sentence = "The given version of Kubernetes has the kind in this version of its API.",
     .source = "kubernetes/kubernetes staging/src/k8s.io/api: "
               "prerelease-lifecycle-gen:introduced; api/openapi-spec",
     .object = served},
    {.name = "pod-fields-by-version",
     .group = CheckGroup::Core,
     .effect = Effect::RunsWrong,
     .sentence = "The given version of Kubernetes has the fields of the pod.",
     .source = "kubernetes/kubernetes pkg/features/kube_features.go",
     .pod = pod_fields},
    {.name = "job-fields-by-version",
     .group = CheckGroup::Core,
     .effect = Effect::RunsWrong,
     .sentence = "The given version of Kubernetes has the fields of the Job.",
     .source = "kubernetes/kubernetes pkg/features/kube_features.go",
     .job = job_fields},
};

}  // namespace

constinit const std::span<const Check> version_checks = kChecks;

}  // namespace trainyard
