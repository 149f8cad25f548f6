#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "effective/pod_builder.h"
#include "manifest/kubernetes_version.h"

namespace trainyard {

/// Pods of a job that are made from one template.
struct PodRole {
  std::string name;        // as in the manifest: `Worker`, `node`
  std::int64_t count = 1;  // of pods
};

/// A pod as it will be in the cluster.
struct EffectivePod {
  NodeId root = kNoNode;
  std::string name;                // with `<random>` where the cluster makes up a part
  std::string hostname;            // in the pod
  std::string address;             // for other pods of the namespace; "" when there is none
  std::vector<std::string> notes;  // what else is to be known
  std::string failure;             // why the controller would not make the pod
};

/// How the controller of one kind makes pods.
struct PodKind {
  std::string_view group;
  std::string_view kind;
  std::string_view version;     // the only one that is known; "" for all
  std::string_view controller;  // as marks name it
  std::string_view source;      // `owner/repo path`
  std::vector<PodRole> (*roles)(View job);
  /// One of the roles, and an index below its count.
  EffectivePod (*pod)(PodBuilder& maker, View job, std::string_view role, std::int64_t index,
                      KubernetesVersion version);
};

/// The kinds whose pods are known.
const PodKind* find_pod_kind(View object);
/// Why the pods of an object that comes to pods are not known, as half a sentence; "" for a kind
/// that makes none, or whose pods are known.
std::string_view why_pods_unknown(View object);
/// `Job`, `JobSet`, ... for messages.
std::vector<std::string> pod_kind_names();

/// What stands where only the cluster knows a value.
inline constexpr std::string_view kUid = "<uid>";
inline constexpr std::string_view kRandom = "<random>";
inline constexpr std::string_view kNamespace = "<namespace>";

/// The namespace of a job, or that it is not written down.
std::string_view namespace_of(View job);
std::string_view name_of(View job);

// The tables, each in the file of its controller.
extern const PodKind kJobPods;
extern const PodKind kJobSetPods;
extern const PodKind kPyTorchPods;
extern const PodKind kTensorFlowPods;
extern const PodKind kXGBoostPods;
extern const PodKind kPaddlePods;
extern const PodKind kJaxPods;
extern const PodKind kMpiPods;
extern const PodKind kMpiPodsV1;
extern const PodKind kVolcanoPods;
extern const PodKind kRayClusterPods;
extern const PodKind kRayJobPods;
extern const PodKind kRayServicePods;
extern const PodKind kRunAiTrainingPods;
extern const PodKind kRunAiDistributedPods;
extern const PodKind kLeaderWorkerSetPods;
extern const PodKind kHyperPodPods;

}  // namespace trainyard
