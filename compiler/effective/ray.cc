#include "effective/ray_cluster.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kHead = "head";
constexpr std::string_view kSubmitter = "submitter";

std::vector<PodRole> roles(View object) {
  const RayCluster cluster(object);
  std::vector<PodRole> found;
  if (cluster.head()) found.push_back({std::string(kHead), 1});
  for (View group : items_at(cluster.spec, "workerGroupSpecs")) {
    found.push_back({std::string(string_at(group, "groupName")), ray_workers(group)});
  }
  if (ray_job_has_submitter(object)) found.push_back({std::string(kSubmitter), 1});
  return found;
}

EffectivePod pod(PodBuilder& maker, View object, std::string_view role, std::int64_t index,
                 KubernetesVersion version) {
  maker.act_for("kuberay");
  const RayCluster cluster(object);
  if (role == kHead) return ray_pod(maker, cluster, cluster.head(), index);
  for (View group : items_at(cluster.spec, "workerGroupSpecs")) {
    if (string_at(group, "groupName") == role) return ray_pod(maker, cluster, group, index);
  }
  if (role == kSubmitter) return ray_submitter(maker, cluster, version);
  EffectivePod result;
  result.failure = "the cluster has no group `" + std::string(role) + "`";
  return result;
}

constexpr PodKind row(std::string_view kind) {
  return {"ray.io",
          kind,
          "",
          "kuberay",
          "ray-project/kuberay ray-operator/controllers/ray/common/pod.go",
          roles,
          pod};
}

}  // namespace

constinit const PodKind kRayClusterPods = row("RayCluster");
constinit const PodKind kRayJobPods = row("RayJob");
constinit const PodKind kRayServicePods = row("RayService");

}  // namespace trainyard
