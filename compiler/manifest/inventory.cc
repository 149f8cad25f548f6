#include "manifest/inventory.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "manifest/pod_templates.h"
#include "manifest/secret_sources.h"
#include "manifest/sync_moment.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

enum class Scope : std::uint8_t { Namespace, Cluster };

struct ReferredKind {
  std::string_view group;
  std::string_view kind;
  Scope scope = Scope::Namespace;
};

// Those that some check asks for: a kind here makes documents wait that mention it.
constexpr ReferredKind kReferredKinds[] = {
    {"", "ConfigMap"},
    {"", "LimitRange"},
    {"", "Namespace", Scope::Cluster},
    {"", "PersistentVolume", Scope::Cluster},
    {"", "PersistentVolumeClaim"},
    {"", "Pod"},
    {"", "ResourceQuota"},
    {"", "Secret"},
    {"", "Service"},
    {"", "ServiceAccount"},
    {"admissionregistration.k8s.io", "MutatingAdmissionPolicy", Scope::Cluster},
    {"admissionregistration.k8s.io", "ValidatingAdmissionPolicy", Scope::Cluster},
    {"apps", "DaemonSet"},
    {"apps", "StatefulSet"},
    {"apps.nvidia.com", "NIMCache"},
    {"apps.nvidia.com", "NIMService"},
    {"argoproj.io", "AppProject"},
    {"autoscaling", "HorizontalPodAutoscaler"},
    {"bitnami.com", "SealedSecret"},
    {"external-secrets.io", "ExternalSecret"},
    {"flow.volcano.sh", "JobTemplate"},
    {"helm.toolkit.fluxcd.io", "HelmRelease"},
    {"k8s.cni.cncf.io", "NetworkAttachmentDefinition"},
    {"kai.scheduler", "SchedulingShard", Scope::Cluster},
    {"kai.scheduler", "Topology", Scope::Cluster},
    {"karpenter.k8s.aws", "EC2NodeClass", Scope::Cluster},
    {"karpenter.sh", "NodePool", Scope::Cluster},
    {"kueue.x-k8s.io", "AdmissionCheck", Scope::Cluster},
    {"kueue.x-k8s.io", "ClusterQueue", Scope::Cluster},
    {"kueue.x-k8s.io", "Cohort", Scope::Cluster},
    {"kueue.x-k8s.io", "LocalQueue"},
    {"kueue.x-k8s.io", "MultiKueueCluster", Scope::Cluster},
    {"kueue.x-k8s.io", "MultiKueueConfig", Scope::Cluster},
    {"kueue.x-k8s.io", "ProvisioningRequestConfig", Scope::Cluster},
    {"kueue.x-k8s.io", "ResourceFlavor", Scope::Cluster},
    {"kueue.x-k8s.io", "Topology", Scope::Cluster},
    {"kueue.x-k8s.io", "WorkloadPriorityClass", Scope::Cluster},
    {"kustomize.toolkit.fluxcd.io", "Kustomization"},
    {"mellanox.com", "HostDeviceNetwork", Scope::Cluster},
    {"mellanox.com", "IPoIBNetwork", Scope::Cluster},
    {"mellanox.com", "MacvlanNetwork", Scope::Cluster},
    {"networking.gke.io", "GKENetworkParamSet", Scope::Cluster},
    {"networking.k8s.io", "NetworkPolicy"},
    {"ray.io", "RayCluster"},
    {"rbac.authorization.k8s.io", "ClusterRole", Scope::Cluster},
    {"rbac.authorization.k8s.io", "ClusterRoleBinding", Scope::Cluster},
    {"rbac.authorization.k8s.io", "Role"},
    {"rbac.authorization.k8s.io", "RoleBinding"},
    {"resource.k8s.io", "DeviceClass", Scope::Cluster},
    {"resource.k8s.io", "ResourceClaim"},
    {"resource.k8s.io", "ResourceClaimTemplate"},
    {"resource.nvidia.com", "ComputeDomain"},
    {"scheduling.k8s.io", "PodGroup"},
    {"scheduling.k8s.io", "PriorityClass", Scope::Cluster},
    {"scheduling.run.ai", "Queue", Scope::Cluster},
    {"scheduling.volcano.sh", "PodGroup"},
    {"scheduling.volcano.sh", "Queue", Scope::Cluster},
    {"scheduling.x-k8s.io", "PodGroup"},
    {"secrets-store.csi.x-k8s.io", "SecretProviderClass"},
    {"source.toolkit.fluxcd.io", "Bucket"},
    {"source.toolkit.fluxcd.io", "GitRepository"},
    {"source.toolkit.fluxcd.io", "HelmRepository"},
    {"source.toolkit.fluxcd.io", "OCIRepository"},
    {"sriovnetwork.openshift.io", "SriovIBNetwork"},
    {"sriovnetwork.openshift.io", "SriovNetwork"},
    {"sriovnetwork.openshift.io", "SriovNetworkNodePolicy"},
    {"storage.k8s.io", "StorageClass", Scope::Cluster},
    {"topology.volcano.sh", "HyperNode", Scope::Cluster},
    {"trainer.kubeflow.org", "ClusterTrainingRuntime", Scope::Cluster},
    {"trainer.kubeflow.org", "TrainingRuntime"},
};

const ReferredKind* referred_kind(std::string_view group, std::string_view kind) {
  const auto* const found = std::ranges::find_if(kReferredKinds, [&](const ReferredKind& each) {
    return each.kind == kind && each.group == group;
  });
  return found == std::end(kReferredKinds) ? nullptr : found;
}

}  // namespace

bool Inventory::takes(std::string_view api_version, std::string_view kind) {
  return referred_kind(group_of(api_version), kind) != nullptr;
}

bool Inventory::takes_kind(std::string_view kind) {
  return std::ranges::any_of(kReferredKinds,
                             [&](const ReferredKind& each) { return each.kind == kind; });
}

void Inventory::add(View object) {
  const std::string_view api_version = string_at(object, "apiVersion");
  const std::string_view kind = string_at(object, "kind");
  const View metadata = get(object, "metadata");
  const std::string_view name = string_at(metadata, "name");
  const std::string_view name_space = string_at(metadata, "namespace");
  if (has_sync_moment(object)) add(kSyncGroup, kSyncKind, name_space, name, object);
  const ReferredKind* referred = referred_kind(group_of(api_version), kind);
  if (name.empty() || referred == nullptr) return;
  // The API server ignores a namespace of an object that is in none.
  const bool is_in_none = referred->scope == Scope::Cluster;
  add(referred->group, kind, is_in_none ? std::string_view() : name_space, name, object);
  if (kind == "Service") {
    for (View wanted : entries_at(get(object, "spec"), "selector")) {
      auto& same = services_[{name_space, {wanted.key(), string_of(wanted)}}];
      if (same.size() < kMostAlike) same.push_back(of_kind("", kind)->objects.size() - 1);
    }
  }
  for (std::string_view secret : made_secrets(object)) {
    add(kSecretGroup, kSecretKind, name_space, secret, object);
  }
}

void Inventory::state(std::string_view group, std::string_view kind, std::string_view name) {
  add(group, kind, {}, name, {});
}

void Inventory::add(std::string_view group, std::string_view kind, std::string_view name_space,
                    std::string_view name, View object) {
  auto of = std::ranges::find_if(
      kinds_, [&](const OfKind& each) { return each.kind == kind && each.group == group; });
  if (of == kinds_.end()) of = kinds_.insert(of, {group, kind, {}});
  if (object) of->objects.push_back(object);
  View& here = by_place_[{group, kind, name, name_space}];
  if (!here) here = object;
  if (object) by_name_[{group, kind, name}].push_back(object);
}

const Inventory::OfKind* Inventory::of_kind(std::string_view group, std::string_view kind) const {
  for (const OfKind& each : kinds_) {
    if (each.kind == kind && each.group == group) return &each;
  }
  return nullptr;
}

std::optional<View> Inventory::at(std::string_view group, std::string_view kind,
                                  std::string_view name_space, std::string_view name) const {
  if (of_kind(group, kind) == nullptr) return std::nullopt;  // so it is for most of what pods name
  const auto own = by_place_.find({group, kind, name, name_space});
  if (own != by_place_.end() && own->second) return own->second;
  if (name_space.empty()) {
    const auto any = by_name_.find({group, kind, name});
    if (any != by_name_.end()) return any->second.front();
  } else {
    const auto anywhere = by_place_.find({group, kind, name, {}});
    if (anywhere != by_place_.end()) return anywhere->second;
  }
  return own == by_place_.end() ? std::nullopt : std::optional(own->second);
}

View Inventory::find(std::string_view group, std::string_view kind, std::string_view name_space,
                     std::string_view name) const {
  const std::optional<View> found = at(group, kind, name_space, name);
  if (found) return *found;
  return base_ == nullptr ? View() : base_->find(group, kind, name_space, name);
}

bool Inventory::has(std::string_view group, std::string_view kind, std::string_view name_space,
                    std::string_view name) const {
  return at(group, kind, name_space, name) ||
         (base_ != nullptr && base_->has(group, kind, name_space, name));
}

bool Inventory::has_any(std::string_view group, std::string_view kind) const {
  return of_kind(group, kind) != nullptr || (base_ != nullptr && base_->has_any(group, kind));
}

bool Inventory::hides(View object) const {
  const View metadata = get(object, "metadata");
  return at(group_of(string_at(object, "apiVersion")), string_at(object, "kind"),
            string_at(metadata, "namespace"), string_at(metadata, "name"))
      .has_value();
}

std::vector<View> Inventory::all(std::string_view group, std::string_view kind) const {
  std::vector<View> found;
  if (base_ != nullptr) found = base_->all(group, kind);
  const OfKind* here = of_kind(group, kind);
  if (here == nullptr) return found;
  std::erase_if(found, [&](View each) { return hides(each); });
  found.insert(found.end(), here->objects.begin(), here->objects.end());
  return found;
}

std::size_t Inventory::count(std::string_view group, std::string_view kind) const {
  const OfKind* here = of_kind(group, kind);
  return (here == nullptr ? 0 : here->objects.size()) +
         (base_ == nullptr ? 0 : base_->count(group, kind));
}

std::vector<View> Inventory::named(std::string_view group, std::string_view kind,
                                   std::string_view name) const {
  std::vector<View> found;
  if (base_ != nullptr) found = base_->named(group, kind, name);
  std::erase_if(found, [&](View each) { return hides(each); });
  const auto here = by_name_.find({group, kind, name});
  if (here == by_name_.end()) return found;
  if (found.size() + here->second.size() > kMostAlike) return {};
  found.insert(found.end(), here->second.begin(), here->second.end());
  return found;
}

std::vector<std::string_view> Inventory::names(std::string_view group,
                                               std::string_view kind) const {
  std::vector<std::string_view> found;
  if (base_ != nullptr) found = base_->names(group, kind);
  for (auto each = by_name_.lower_bound({group, kind, {}}); each != by_name_.end(); ++each) {
    const auto& [its_group, its_kind, name] = each->first;
    if (its_group != group || its_kind != kind) break;
    if (found.size() == kMostNames) return {};
    found.push_back(name);
  }
  return found;
}

std::vector<View> Inventory::services_by_label(std::string_view name_space,
                                               const std::vector<Label>& labels) const {
  std::vector<View> found;
  if (base_ != nullptr) found = base_->services_by_label(name_space, labels);
  if (found.empty() && services_.empty()) return found;
  std::erase_if(found, [&](View each) { return hides(each); });
  std::vector<std::size_t> here;
  for (const Label& label : labels) {
    const auto known = services_.find({name_space, label});
    if (known == services_.end()) continue;
    here.insert(here.end(), known->second.begin(), known->second.end());
  }
  std::ranges::sort(here);
  here.erase(std::ranges::unique(here).begin(), here.end());
  for (const std::size_t at : here) found.push_back(of_kind("", "Service")->objects[at]);
  return found;
}

}  // namespace trainyard
