#include "effective/pods.h"

#include "manifest/pod_templates.h"
#include "source/text_parts.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr const PodKind* kKinds[] = {&kJobPods,
                                     &kJobSetPods,
                                     &kPyTorchPods,
                                     &kTensorFlowPods,
                                     &kXGBoostPods,
                                     &kPaddlePods,
                                     &kJaxPods,
                                     &kMpiPods,
                                     &kMpiPodsV1,
                                     &kVolcanoPods,
                                     &kRunAiTrainingPods,
                                     &kRunAiDistributedPods,
                                     &kLeaderWorkerSetPods,
                                     &kHyperPodPods,
                                     &kRayClusterPods,
                                     &kRayJobPods,
                                     &kRayServicePods};

/// Kinds whose pods are made in ways that are not followed.
struct UnknownPods {
  std::string_view group;
  std::string_view kind;
  std::string_view why;
};
constexpr UnknownPods kUnknown[] = {
    {"nvidia.com", "NemoTrainingJob",
     "which pods the NeMo Operator makes of it is not public; what they run is in the "
     "NemoTrainingWorkload"},
    {"apps.nvidia.com", "NIMService",
     "it is a service, whose pods have no ranks; the NIM Operator makes a Deployment of it"},
    {"apps.nvidia.com", "NIMCache",
     "the NIM Operator fetches the model by a Job with a command of its own"},
};

}  // namespace

const PodKind* find_pod_kind(View object) {
  const std::string_view api_version = string_at(object, "apiVersion");
  for (const PodKind* each : kKinds) {
    const bool same = each->kind == string_at(object, "kind") &&
                      each->group == group_of(api_version) &&
                      (each->version.empty() || each->version == last_step(api_version));
    if (same) return each;
  }
  return nullptr;
}

std::string_view why_pods_unknown(View object) {
  const std::string_view group = group_of(string_at(object, "apiVersion"));
  for (const UnknownPods& each : kUnknown) {
    if (each.group == group && each.kind == string_at(object, "kind")) return each.why;
  }
  return {};
}

std::vector<std::string> pod_kind_names() {
  std::vector<std::string> names;
  for (const PodKind* each : kKinds) {
    if (each == &kMpiPodsV1) continue;         // the same name
    const bool twice = each == &kVolcanoPods;  // the other `Job`
    names.push_back(std::string(each->kind) + (twice ? " (" + std::string(each->group) + ")" : ""));
  }
  return names;
}

std::string_view namespace_of(View job) {
  const std::string_view text = string_at(get(job, "metadata"), "namespace");
  return text.empty() ? kNamespace : text;
}

std::string_view name_of(View job) {
  return string_at(get(job, "metadata"), "name");
}

}  // namespace trainyard
