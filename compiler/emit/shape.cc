#include "emit/shape.h"

#include <array>

#include "source/text_equal.h"

namespace trainyard {
namespace {

struct KindRow {
  std::string_view group;
  std::string_view kind;
  ObjectShape shape;
};

constexpr ObjectShape with_spec(FieldShape spec) {
  return {FieldShape::Object, spec};
}
constexpr ObjectShape whole(FieldShape object) {
  return {object, FieldShape::Generic};
}

// Kinds are told apart by their group: `Job` and `Queue` exist in several.
constexpr KindRow kKinds[] = {
    {"", "ConfigMap", whole(FieldShape::ConfigMap)},
    {"", "LimitRange", with_spec(FieldShape::LimitRangeSpec)},
    {"", "PersistentVolume", with_spec(FieldShape::VolumeSpec)},
    {"", "PersistentVolumeClaim", with_spec(FieldShape::ClaimSpec)},
    {"", "Pod", with_spec(FieldShape::PodSpec)},
    {"", "ResourceQuota", with_spec(FieldShape::QuotaSpec)},
    {"", "Secret", whole(FieldShape::Secret)},
    {"", "Service", with_spec(FieldShape::ServiceSpec)},
    {"", "ServiceAccount", whole(FieldShape::ServiceAccount)},
    {"apps", "DaemonSet", with_spec(FieldShape::WorkloadSpec)},
    {"apps", "Deployment", with_spec(FieldShape::WorkloadSpec)},
    {"apps", "ReplicaSet", with_spec(FieldShape::WorkloadSpec)},
    {"apps", "StatefulSet", with_spec(FieldShape::WorkloadSpec)},
    {"apps.nvidia.com", "NIMCache", with_spec(FieldShape::NimCacheSpec)},
    {"apps.nvidia.com", "NIMService", with_spec(FieldShape::NimServiceSpec)},
    {"batch", "CronJob", with_spec(FieldShape::CronJobSpec)},
    {"batch", "Job", with_spec(FieldShape::JobSpec)},
    {"batch.volcano.sh", "Job", with_spec(FieldShape::VolcanoJobSpec)},
    {"jobset.x-k8s.io", "JobSet", with_spec(FieldShape::JobSetSpec)},
    {"kubeflow.org", "JAXJob", with_spec(FieldShape::ReplicaJobSpec)},
    {"kubeflow.org", "MPIJob", with_spec(FieldShape::ReplicaJobSpec)},
    {"kubeflow.org", "PaddleJob", with_spec(FieldShape::ReplicaJobSpec)},
    {"kubeflow.org", "PyTorchJob", with_spec(FieldShape::ReplicaJobSpec)},
    {"kubeflow.org", "TFJob", with_spec(FieldShape::ReplicaJobSpec)},
    {"kubeflow.org", "XGBoostJob", with_spec(FieldShape::ReplicaJobSpec)},
    {"kueue.x-k8s.io", "ClusterQueue", with_spec(FieldShape::ClusterQueueSpec)},
    {"kueue.x-k8s.io", "LocalQueue", with_spec(FieldShape::LocalQueueSpec)},
    {"kueue.x-k8s.io", "ResourceFlavor", with_spec(FieldShape::FlavorSpec)},
    {"kueue.x-k8s.io", "WorkloadPriorityClass", whole(FieldShape::PriorityClass)},
    {"kustomize.config.k8s.io", "Kustomization", whole(FieldShape::Kustomization)},
    {"leaderworkerset.x-k8s.io", "LeaderWorkerSet", with_spec(FieldShape::LwsSpec)},
    {"networking.gke.io", "GKENetworkParamSet", with_spec(FieldShape::GkeParameters)},
    {"networking.gke.io", "Network", with_spec(FieldShape::GkeNetworkSpec)},
    {"networking.k8s.io", "NetworkPolicy", with_spec(FieldShape::NetworkPolicySpec)},
    {"nvidia.com", "ClusterPolicy", with_spec(FieldShape::GpuPolicySpec)},
    {"nvidia.com", "NemoEntityHandler", with_spec(FieldShape::NemoHandlerSpec)},
    {"nvidia.com", "NemoTrainingJob", with_spec(FieldShape::NemoJobSpec)},
    {"nvidia.com", "NemoTrainingWorkload", with_spec(FieldShape::NemoTrainer)},
    {"policy", "PodDisruptionBudget", with_spec(FieldShape::DisruptionSpec)},
    {"ray.io", "RayCluster", with_spec(FieldShape::RayClusterSpec)},
    {"ray.io", "RayJob", with_spec(FieldShape::RayJobSpec)},
    {"ray.io", "RayService", with_spec(FieldShape::RayServiceSpec)},
    {"rbac.authorization.k8s.io", "ClusterRole", whole(FieldShape::Role)},
    {"rbac.authorization.k8s.io", "ClusterRoleBinding", whole(FieldShape::RoleBinding)},
    {"rbac.authorization.k8s.io", "Role", whole(FieldShape::Role)},
    {"rbac.authorization.k8s.io", "RoleBinding", whole(FieldShape::RoleBinding)},
    {"resource.k8s.io", "ResourceClaim", with_spec(FieldShape::DeviceClaimSpec)},
    {"resource.k8s.io", "ResourceClaimTemplate", with_spec(FieldShape::DeviceClaimTemplate)},
    {"resource.nvidia.com", "ComputeDomain", with_spec(FieldShape::ComputeDomainSpec)},
    {"run.ai", "DistributedWorkload", with_spec(FieldShape::RunaiSpec)},
    {"run.ai", "TrainingWorkload", with_spec(FieldShape::RunaiSpec)},
    {"scheduling.k8s.io", "PriorityClass", whole(FieldShape::PriorityClass)},
    {"scheduling.run.ai", "Queue", with_spec(FieldShape::KaiQueueSpec)},
    {"scheduling.volcano.sh", "PodGroup", with_spec(FieldShape::PodGroupSpec)},
    {"scheduling.volcano.sh", "Queue", with_spec(FieldShape::VolcanoQueueSpec)},
    {"scheduling.x-k8s.io", "PodGroup", with_spec(FieldShape::PodGroupSpec)},
    {"storage.k8s.io", "StorageClass", whole(FieldShape::StorageClass)},
    {"topology.volcano.sh", "HyperNode", with_spec(FieldShape::HyperNodeSpec)},
    {"trainer.kubeflow.org", "ClusterTrainingRuntime", with_spec(FieldShape::RuntimeSpec)},
    {"trainer.kubeflow.org", "TrainJob", with_spec(FieldShape::TrainJobSpec)},
    {"trainer.kubeflow.org", "TrainingRuntime", with_spec(FieldShape::RuntimeSpec)},
    {"trainyard", "TrainingJob", with_spec(FieldShape::TrainingJobSpec)},
};

std::string_view text_of(const Tree& tree, NodeId map, std::string_view key) {
  const NodeId id = tree.find(map, key);
  return id == kNoNode ? std::string_view() : tree[id].text;
}

std::string_view group_of(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

bool is_pod_spec(const Tree& tree, NodeId id) {
  const NodeId containers = tree.find(id, "containers");
  return containers != kNoNode && tree[containers].is_seq();
}

bool has_text(const Tree& tree, NodeId map, std::string_view key) {
  const NodeId id = tree.find(map, key);
  return id != kNoNode && tree[id].kind == Kind::String;
}

}  // namespace

ObjectShape shape_of_object(const Tree& tree, NodeId id) {
  const std::string_view kind = text_of(tree, id, "kind");
  const std::string_view group = group_of(text_of(tree, id, "apiVersion"));
  for (const KindRow& row : kKinds) {
    if (row.kind == kind && row.group == group) return row.shape;
  }
  return {};
}

FieldShape recognise(const Tree& tree, NodeId id) {
  if (is_pod_spec(tree, id)) return FieldShape::PodSpec;
  if (is_pod_spec(tree, tree.find(id, "spec"))) {
    const bool is_object = has_text(tree, id, "apiVersion") && has_text(tree, id, "kind");
    return is_object ? FieldShape::Object : FieldShape::PodTemplate;
  }
  const NodeId metadata = tree.find(id, "metadata");
  const bool is_object = metadata != kNoNode && has_text(tree, id, "kind");
  return is_object ? FieldShape::Object : FieldShape::Generic;
}

FieldFinder::FieldFinder(const Tree& tree, NodeId id, FieldShape shape)
    : shape_(shape == FieldShape::Generic ? recognise(tree, id) : shape) {
  if (shape_ == FieldShape::Object) {
    const ObjectShape object = shape_of_object(tree, id);
    shape_ = object.object;
    spec_ = object.spec;
  }
  fields_ = fields_of(shape_);
}

std::size_t FieldFinder::slot(std::string_view name) const {
  if (name.empty()) return 0;
  const auto byte = [name](std::size_t i) {
    return std::uint32_t{static_cast<unsigned char>(name[i])};
  };
  const std::uint32_t mixed = byte(0) | byte(name.size() / 2) << 8U | byte(name.size() - 1) << 16U |
                              static_cast<std::uint32_t>(name.size()) << 24U;
  return (mixed + static_cast<std::uint32_t>(shape_)) * 0x9e3779b1U >> (32U - kSlotBits);
}

FieldFinder::Found FieldFinder::find(std::string_view name) {
  // Where a field was found the last time; wherever that is, its name is compared.
  constinit thread_local std::array<std::uint16_t, std::size_t{1} << kSlotBits> places{};
  if (!fields_.empty()) {
    std::uint16_t& place = places[slot(name)];
    if (place < fields_.size() && same_text(fields_[place].name, name)) return found(place);
    for (std::size_t at = 0; at < fields_.size(); ++at) {
      if (!same_text(fields_[at].name, name)) continue;
      place = static_cast<std::uint16_t>(at);
      return found(at);
    }
  }
  return {kUnknown,
          shape_ == FieldShape::ResourceList ? FieldShape::Quantity : FieldShape::Generic};
}

FieldFinder::Found FieldFinder::found(std::size_t at) const {
  const bool is_spec = shape_ == FieldShape::Object && fields_[at].name == "spec";
  return {static_cast<std::uint32_t>(at), is_spec ? spec_ : fields_[at].shape};
}

}  // namespace trainyard
