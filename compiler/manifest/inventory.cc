#include "manifest/inventory.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "manifest/pod_templates.h"
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

/// Whether a Service leads to a port by its name.
bool leads_by_name(View service) {
  return std::ranges::any_of(items_at(get(service, "spec"), "ports"),
                             [](View port) { return !string_at(port, "targetPort").empty(); });
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
  if (has_sync_moment(object)) add({kSyncGroup, kSyncKind, name_space, name, object});
  const ReferredKind* referred = referred_kind(group_of(api_version), kind);
  if (name.empty() || referred == nullptr) return;
  // The API server ignores a namespace of an object that is in none.
  const bool is_in_none = referred->scope == Scope::Cluster;
  add({referred->group, kind, is_in_none ? std::string_view() : name_space, name, object});
  if (kind == "Service" && leads_by_name(object)) services_by_port_name_.push_back(object);
}

void Inventory::state(std::string_view group, std::string_view kind, std::string_view name) {
  add({group, kind, {}, name, {}});
}

void Inventory::add(const Entry& entry) {
  const std::size_t at = entries_.size();
  by_name_.emplace(entry.name, at);
  entries_.push_back(entry);
  const auto known = std::ranges::find_if(kinds_, [&](const OfKind& each) {
    return each.kind == entry.kind && each.group == entry.group;
  });
  if (known != kinds_.end()) {
    known->entries.push_back(at);
  } else {
    kinds_.push_back({entry.group, entry.kind, {at}});
  }
}

const Inventory::OfKind* Inventory::of_kind(std::string_view group, std::string_view kind) const {
  for (const OfKind& each : kinds_) {
    if (each.kind == kind && each.group == group) return &each;
  }
  return nullptr;
}

const Inventory::Entry* Inventory::entry(std::string_view group, std::string_view kind,
                                         std::string_view name_space, std::string_view name) const {
  const Entry* best = nullptr;
  const auto [begin, end] = by_name_.equal_range(name);
  for (auto each = begin; each != end; ++each) {
    const Entry& entry = entries_[each->second];
    if (entry.kind != kind || entry.group != group) continue;
    const bool same = entry.name_space == name_space;
    if (!same && !entry.name_space.empty() && !name_space.empty()) continue;
    // One that is written out before one that is stated, the right namespace before none.
    const auto rank = [&](const Entry& of) {
      return (of.object ? 2 : 0) + (of.name_space == name_space ? 1 : 0);
    };
    if (best == nullptr || rank(entry) > rank(*best) ||
        (rank(entry) == rank(*best) && &entry < best)) {
      best = &entry;
    }
  }
  return best;
}

View Inventory::find(std::string_view group, std::string_view kind, std::string_view name_space,
                     std::string_view name) const {
  const Entry* found = entry(group, kind, name_space, name);
  if (found != nullptr) return found->object;
  return base_ == nullptr ? View() : base_->find(group, kind, name_space, name);
}

bool Inventory::has(std::string_view group, std::string_view kind, std::string_view name_space,
                    std::string_view name) const {
  if (entry(group, kind, name_space, name) != nullptr) return true;
  return base_ != nullptr && base_->has(group, kind, name_space, name);
}

bool Inventory::has_any(std::string_view group, std::string_view kind) const {
  return of_kind(group, kind) != nullptr || (base_ != nullptr && base_->has_any(group, kind));
}

bool Inventory::hides(View object) const {
  const View metadata = get(object, "metadata");
  return entry(group_of(string_at(object, "apiVersion")), string_at(object, "kind"),
               string_at(metadata, "namespace"), string_at(metadata, "name")) != nullptr;
}

std::vector<View> Inventory::all(std::string_view group, std::string_view kind) const {
  std::vector<View> found;
  if (base_ != nullptr) found = base_->all(group, kind);
  const OfKind* here = of_kind(group, kind);
  if (here == nullptr) return found;
  std::erase_if(found, [&](View each) { return hides(each); });
  for (const std::size_t at : here->entries) {
    if (entries_[at].object) found.push_back(entries_[at].object);
  }
  return found;
}

std::vector<View> Inventory::services_by_port_name() const {
  std::vector<View> found;
  if (base_ != nullptr) found = base_->services_by_port_name();
  std::erase_if(found, [&](View each) { return hides(each); });
  found.insert(found.end(), services_by_port_name_.begin(), services_by_port_name_.end());
  return found;
}

}  // namespace trainyard
