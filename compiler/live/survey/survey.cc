#include "live/survey/survey.h"

#include <algorithm>
#include <utility>

#include "cluster/api/api_paths.h"
#include "cluster/api/calls.h"
#include "cluster/api/object_list.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Pods that have ended hold nothing of a node.
constexpr std::string_view kAlive = "status.phase!=Succeeded,status.phase!=Failed";

const ApiResource* resource_of(const Discovery& discovery, const KindToSurvey& kind) {
  if (kind.version.empty()) return discovery.find_any(kind.group, kind.kind);
  return discovery.find(std::string(kind.group) + "/" + std::string(kind.version), kind.kind);
}

Request metadata_call(const NamedObject& secret) {
  static const ApiResource kSecrets = {"v1", "Secret", "secrets", true};
  return {.path = object_path(kSecrets, secret.name_space, secret.name),
          .accept = std::string(kMetadataOnly)};
}

}  // namespace

View SurveyedKind::find(std::string_view name, std::string_view name_space) const {
  for (const View each : items) {
    const View metadata = get(each, "metadata");
    if (string_at(metadata, "name") == name && string_at(metadata, "namespace") == name_space) {
      return each;
    }
  }
  return {};
}

const SurveyedKind& Survey::kind(std::string_view name) const {
  static const SurveyedKind kNone;
  const auto found = kinds.find(name);
  return found == kinds.end() ? kNone : found->second;
}

const std::vector<KindToSurvey>& surveyed_kinds() {
  static const std::vector<KindToSurvey> kinds = {
      {"", "Node"},
      {"", "Pod", true, kAlive},
      {"", "Namespace"},
      {"", "ResourceQuota"},
      {"", "ServiceAccount"},
      {"", "PersistentVolumeClaim"},
      {"apps", "Deployment"},
      {"storage.k8s.io", "StorageClass"},
      {"storage.k8s.io", "CSIDriver"},
      {"scheduling.k8s.io", "PriorityClass"},
      {"node.k8s.io", "RuntimeClass"},
      {"kueue.x-k8s.io", "ClusterQueue"},
      {"kueue.x-k8s.io", "LocalQueue"},
      {"kueue.x-k8s.io", "WorkloadPriorityClass"},
      {"scheduling.volcano.sh", "Queue"},
      {"scheduling.run.ai", "Queue"},
      {"trainer.kubeflow.org", "ClusterTrainingRuntime"},
      {"trainer.kubeflow.org", "TrainingRuntime"},
      {"k8s.cni.cncf.io", "NetworkAttachmentDefinition"},
      {"networking.gke.io", "Network"},
      {"kubeflow.org", "PyTorchJob", false},
      {"kubeflow.org", "MPIJob", false, "", "v2beta1"},
      {"jobset.x-k8s.io", "JobSet", false},
      {"batch.volcano.sh", "Job", false},
      {"kai.scheduler", "SchedulingShard", false},
      {"scheduling.x-k8s.io", "PodGroup", false},
      {"ray.io", "RayJob", false},
      {"leaderworkerset.x-k8s.io", "LeaderWorkerSet", false},
      {"run.ai", "TrainingWorkload", false},
      {"nvidia.com", "NemoTrainingJob", false},
      {"apps.nvidia.com", "NIMService", false},
      {"nvidia.com", "ClusterPolicy", false},
      {"mellanox.com", "NicClusterPolicy", false},
      {"resource.nvidia.com", "ComputeDomain", false},
  };
  return kinds;
}

std::string name_of(const KindToSurvey& kind) {
  std::string name(kind.kind);
  if (!kind.group.empty()) name += "." + std::string(kind.group);
  if (!kind.version.empty()) name += "/" + std::string(kind.version);
  return name;
}

Survey survey_cluster(Transport& transport, const Discovery& discovery,
                      const std::string& kubernetes, std::optional<ApiError>& error) {
  Survey survey;
  survey.kubernetes = kubernetes;
  std::vector<Selection> selections;
  std::vector<std::string> names;
  for (const KindToSurvey& each : surveyed_kinds()) {
    const ApiResource* resource = resource_of(discovery, each);
    survey.kinds[name_of(each)].is_served = resource != nullptr;
    if (resource == nullptr || !each.is_listed) continue;
    selections.push_back({*resource, "", "", std::string(each.field_selector)});
    names.push_back(name_of(each));
  }
  std::vector<Listed> lists = list_all(transport, selections);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    if (lists[i].error) {
      if (!lists[i].error->is_refused() && !lists[i].error->is_not_found()) error = lists[i].error;
      survey.notes.push_back("`" + selections[i].resource.plural +
                             "` are left out: " + sentence(*lists[i].error));
      continue;
    }
    SurveyedKind& kind = survey.kinds[names[i]];
    kind.is_read = true;
    kind.items = std::move(lists[i].items);
    std::ranges::move(lists[i].pages, std::back_inserter(survey.answers));
  }
  return survey;
}

std::vector<Presence> look_for_secrets(Transport& transport,
                                       const std::vector<NamedObject>& secrets,
                                       std::optional<ApiError>& error) {
  std::vector<Request> requests;
  for (const NamedObject& each : secrets) requests.push_back(metadata_call(each));
  std::vector<Presence> found;
  for (const Answer& answer : transport.send_all(std::move(requests))) {
    const auto refusal = error_of(answer);
    if (refusal && refusal->is_connection()) error = refusal;
    found.push_back(!refusal                  ? Presence::There
                    : refusal->is_not_found() ? Presence::Missing
                                              : Presence::Unknown);
  }
  return found;
}

}  // namespace trainyard
