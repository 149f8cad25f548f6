#include "live/survey/real_operators.h"

#include <algorithm>

#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// How an operator is recognised: by a kind, and its controller by the end of its image's
/// repository. Images are those of the projects' own manifests and charts.
struct Sign {
  Operator which;
  std::string_view kind;
  std::string_view image;  // "" where it is not public
};

constexpr Sign kSigns[] = {
    {Operator::Trainer, "ClusterTrainingRuntime.trainer.kubeflow.org",
     "/trainer-controller-manager"},
    {Operator::TrainingOperator, "PyTorchJob.kubeflow.org", "/training-operator"},
    {Operator::MpiOperator, "MPIJob.kubeflow.org/v2beta1", "/mpi-operator"},
    {Operator::Jobset, "JobSet.jobset.x-k8s.io", "/jobset"},
    {Operator::Volcano, "Job.batch.volcano.sh", "/vc-controller-manager"},
    {Operator::Kueue, "ClusterQueue.kueue.x-k8s.io", "/kueue"},
    {Operator::Kai, "SchedulingShard.kai.scheduler", "kai-scheduler/operator"},
    {Operator::SchedulerPlugins, "PodGroup.scheduling.x-k8s.io", "scheduler-plugins/controller"},
    {Operator::Kuberay, "RayJob.ray.io", "kuberay/operator"},
    {Operator::Lws, "LeaderWorkerSet.leaderworkerset.x-k8s.io", "/lws"},
    {Operator::Runai, "TrainingWorkload.run.ai", "/runai-operator"},
    {Operator::Nemo, "NemoTrainingJob.nvidia.com", "/nemo-operator"},
    {Operator::NimOperator, "NIMService.apps.nvidia.com", "/k8s-nim-operator"},
    {Operator::GpuOperator, "ClusterPolicy.nvidia.com", "/gpu-operator"},
    {Operator::NetworkOperator, "NicClusterPolicy.mellanox.com", "/network-operator"},
    {Operator::DraDriver, "ComputeDomain.resource.nvidia.com", "/k8s-dra-driver-gpu"},
    {Operator::Hyperpod, "HyperPodPyTorchJob.sagemaker.amazonaws.com", ""},
};

/// An image without and with its tag.
struct Image {
  std::string_view repository;
  std::string_view tag;  // "" where it has none
};

Image take_apart(std::string_view image) {
  const std::string_view plain = image.substr(0, image.find('@'));
  const std::size_t slash = plain.rfind('/');
  const std::size_t colon = plain.find(':', slash == std::string_view::npos ? 0 : slash);
  if (colon == std::string_view::npos) return {plain, ""};
  return {plain.substr(0, colon), plain.substr(colon + 1)};
}

bool runs_image(const Image& image, std::string_view end) {
  if (image.repository.ends_with(end)) return true;
  // `kueue` alone is `/kueue` in the registry of the runtime.
  return end.starts_with('/') && image.repository == end.substr(1);
}

/// What the Deployment says of its release where the tag does not: charts of Helm label it.
std::string labelled_release(View deployment) {
  const View labels = get(get(deployment, "metadata"), "labels");
  return release_in(string_at(labels, "app.kubernetes.io/version"));
}

void find_release(const Survey& survey, std::string_view image, RealOperator& found) {
  for (const View deployment : survey.kind("Deployment.apps").items) {
    const View pod = get(get(get(deployment, "spec"), "template"), "spec");
    for (const View container : items_at(pod, "containers")) {
      const Image runs = take_apart(string_at(container, "image"));
      if (!runs_image(runs, image)) continue;
      std::string release = release_in(runs.tag);
      if (release.empty()) release = labelled_release(deployment);
      if (release.empty()) continue;
      const View metadata = get(deployment, "metadata");
      found.version = std::move(release);
      found.told_by = "Deployment " + std::string(string_at(metadata, "namespace")) + "/" +
                      std::string(string_at(metadata, "name"));
      return;
    }
  }
}

}  // namespace

std::vector<RealOperator> real_operators(const Survey& survey) {
  std::vector<RealOperator> found;
  for (const Sign& sign : kSigns) {
    if (!survey.serves(sign.kind)) continue;
    RealOperator& here = found.emplace_back(RealOperator{sign.which, "", "", sign.kind});
    if (!sign.image.empty()) find_release(survey, sign.image, here);
  }
  return found;
}

std::string_view kind_of(Operator which) {
  const auto* const found = std::ranges::find(kSigns, which, &Sign::which);
  return found == std::end(kSigns) ? std::string_view() : found->kind;
}

std::string release_in(std::string_view tag) {
  if (tag.starts_with('v')) tag.remove_prefix(1);
  const std::size_t end = std::min(tag.find_first_not_of("0123456789."), tag.size());
  std::string_view release = tag.substr(0, end);
  while (release.ends_with('.')) release.remove_suffix(1);
  return release.find('.') == std::string_view::npos ? std::string() : std::string(release);
}

}  // namespace trainyard
