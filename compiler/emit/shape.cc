#include "emit/shape.h"

namespace trainyard {
namespace {

struct KindRow {
  std::string_view group;
  std::string_view kind;
  ObjectShape shape;
};

constexpr ObjectShape with_spec(Shape spec) {
  return {Shape::Object, spec};
}
constexpr ObjectShape whole(Shape object) {
  return {object, Shape::Generic};
}

// Kinds are told apart by their group: `Job` and `Queue` exist in several.
constexpr KindRow kKinds[] = {
    {"", "ConfigMap", whole(Shape::ConfigMap)},
    {"", "LimitRange", with_spec(Shape::LimitRangeSpec)},
    {"", "PersistentVolume", with_spec(Shape::VolumeSpec)},
    {"", "PersistentVolumeClaim", with_spec(Shape::ClaimSpec)},
    {"", "Pod", with_spec(Shape::PodSpec)},
    {"", "ResourceQuota", with_spec(Shape::QuotaSpec)},
    {"", "Secret", whole(Shape::Secret)},
    {"", "Service", with_spec(Shape::ServiceSpec)},
    {"", "ServiceAccount", whole(Shape::ServiceAccount)},
    {"apps", "DaemonSet", with_spec(Shape::WorkloadSpec)},
    {"apps", "Deployment", with_spec(Shape::WorkloadSpec)},
    {"apps", "ReplicaSet", with_spec(Shape::WorkloadSpec)},
    {"apps", "StatefulSet", with_spec(Shape::WorkloadSpec)},
    {"batch", "CronJob", with_spec(Shape::CronJobSpec)},
    {"batch", "Job", with_spec(Shape::JobSpec)},
    {"batch.volcano.sh", "Job", with_spec(Shape::VolcanoJobSpec)},
    {"jobset.x-k8s.io", "JobSet", with_spec(Shape::JobSetSpec)},
    {"kubeflow.org", "JAXJob", with_spec(Shape::ReplicaJobSpec)},
    {"kubeflow.org", "MPIJob", with_spec(Shape::ReplicaJobSpec)},
    {"kubeflow.org", "PaddleJob", with_spec(Shape::ReplicaJobSpec)},
    {"kubeflow.org", "PyTorchJob", with_spec(Shape::ReplicaJobSpec)},
    {"kubeflow.org", "TFJob", with_spec(Shape::ReplicaJobSpec)},
    {"kubeflow.org", "XGBoostJob", with_spec(Shape::ReplicaJobSpec)},
    {"kueue.x-k8s.io", "ClusterQueue", with_spec(Shape::ClusterQueueSpec)},
    {"kueue.x-k8s.io", "LocalQueue", with_spec(Shape::LocalQueueSpec)},
    {"kueue.x-k8s.io", "ResourceFlavor", with_spec(Shape::FlavorSpec)},
    {"kueue.x-k8s.io", "WorkloadPriorityClass", whole(Shape::PriorityClass)},
    {"kustomize.config.k8s.io", "Kustomization", whole(Shape::Kustomization)},
    {"leaderworkerset.x-k8s.io", "LeaderWorkerSet", with_spec(Shape::LwsSpec)},
    {"networking.k8s.io", "NetworkPolicy", with_spec(Shape::NetworkPolicySpec)},
    {"policy", "PodDisruptionBudget", with_spec(Shape::DisruptionSpec)},
    {"ray.io", "RayCluster", with_spec(Shape::RayClusterSpec)},
    {"ray.io", "RayJob", with_spec(Shape::RayJobSpec)},
    {"ray.io", "RayService", with_spec(Shape::RayServiceSpec)},
    {"rbac.authorization.k8s.io", "ClusterRole", whole(Shape::Role)},
    {"rbac.authorization.k8s.io", "ClusterRoleBinding", whole(Shape::RoleBinding)},
    {"rbac.authorization.k8s.io", "Role", whole(Shape::Role)},
    {"rbac.authorization.k8s.io", "RoleBinding", whole(Shape::RoleBinding)},
    {"scheduling.k8s.io", "PriorityClass", whole(Shape::PriorityClass)},
    {"scheduling.run.ai", "Queue", with_spec(Shape::KaiQueueSpec)},
    {"scheduling.volcano.sh", "PodGroup", with_spec(Shape::PodGroupSpec)},
    {"scheduling.volcano.sh", "Queue", with_spec(Shape::VolcanoQueueSpec)},
    {"scheduling.x-k8s.io", "PodGroup", with_spec(Shape::PodGroupSpec)},
    {"storage.k8s.io", "StorageClass", whole(Shape::StorageClass)},
    {"trainer.kubeflow.org", "ClusterTrainingRuntime", with_spec(Shape::RuntimeSpec)},
    {"trainer.kubeflow.org", "TrainJob", with_spec(Shape::TrainJobSpec)},
    {"trainer.kubeflow.org", "TrainingRuntime", with_spec(Shape::RuntimeSpec)},
    {"trainyard", "TrainingJob", with_spec(Shape::TrainingJobSpec)},
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

Shape recognise(const Tree& tree, NodeId id) {
  if (is_pod_spec(tree, id)) return Shape::PodSpec;
  if (is_pod_spec(tree, tree.find(id, "spec"))) {
    const bool is_object = has_text(tree, id, "apiVersion") && has_text(tree, id, "kind");
    return is_object ? Shape::Object : Shape::PodTemplate;
  }
  const NodeId metadata = tree.find(id, "metadata");
  const bool is_object = metadata != kNoNode && has_text(tree, id, "kind");
  return is_object ? Shape::Object : Shape::Generic;
}

FieldFinder::FieldFinder(const Tree& tree, NodeId id, Shape shape)
    : shape_(shape == Shape::Generic ? recognise(tree, id) : shape) {
  if (shape_ == Shape::Object) {
    const ObjectShape object = shape_of_object(tree, id);
    shape_ = object.object;
    spec_ = object.spec;
  }
  fields_ = fields_of(shape_);
}

FieldFinder::Found FieldFinder::find(std::string_view name) {
  for (std::size_t tried = 0; tried < fields_.size(); ++tried) {
    const std::size_t at = next_ < fields_.size() ? next_ : 0;
    next_ = at + 1;
    const Field& field = fields_[at];
    if (field.name != name) continue;
    const bool is_spec = shape_ == Shape::Object && name == "spec";
    return {static_cast<std::uint32_t>(at), is_spec ? spec_ : field.shape};
  }
  return {kUnknown, shape_ == Shape::ResourceList ? Shape::Quantity : Shape::Generic};
}

}  // namespace trainyard
