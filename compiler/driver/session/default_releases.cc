#include "driver/session/default_releases.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "manifest/kubernetes_version.h"
#include "plan/release.h"

namespace trainyard {
namespace {

/// "kubeflow/trainer v2.3.0 manifests/base/..." is of `kubeflow/trainer 2.3`; "" when it names no
/// release.
std::string release_of(std::string_view source) {
  const std::size_t end = source.find(' ');
  if (end == std::string_view::npos) return {};
  std::string_view project = source.substr(0, end);
  std::string_view version = source.substr(end + 1);
  version = version.substr(0, version.find(' '));
  if (version.starts_with('v')) version.remove_prefix(1);
  const auto parsed = release(version);
  if (!parsed) return {};
  if (project == "kubernetes") project = "Kubernetes";
  return std::string(project) + " " + std::to_string(parsed->major) + "." +
         std::to_string(parsed->minor);
}

/// Whose API a group is, as a Cluster calls its operators.
struct GroupOwner {
  std::string_view api;  // a group, or one of its versions
  Operator op;
};
constexpr std::array<GroupOwner, 17> kOwners = {{
    {"trainer.kubeflow.org", Operator::Trainer},
    {"kubeflow.org/v1", Operator::TrainingOperator},
    {"kubeflow.org/v2beta1", Operator::MpiOperator},
    {"jobset.x-k8s.io", Operator::Jobset},
    {"batch.volcano.sh", Operator::Volcano},
    {"scheduling.volcano.sh", Operator::Volcano},
    {"topology.volcano.sh", Operator::Volcano},
    {"kueue.x-k8s.io", Operator::Kueue},
    {"kai.scheduler", Operator::Kai},
    {"scheduling.run.ai", Operator::Kai},
    {"scheduling.x-k8s.io", Operator::SchedulerPlugins},
    {"ray.io", Operator::Kuberay},
    {"leaderworkerset.x-k8s.io", Operator::Lws},
    {"apps.nvidia.com", Operator::NimOperator},
    {"nvidia.com/v1", Operator::GpuOperator},
    {"nvidia.com/v1alpha1", Operator::Nemo},
    {"resource.nvidia.com", Operator::DraDriver},
}};

bool states_version(const Cluster& cluster, std::string_view api_version) {
  const std::string_view group = api_version.substr(0, api_version.find('/'));
  for (const GroupOwner& owner : kOwners) {
    if (owner.api != group && owner.api != api_version) continue;
    return operator_version(cluster, owner.op).given();
  }
  return cluster.spec->kubernetes.given();
}

}  // namespace

void DefaultReleases::Named::add(std::string_view source) {
  const bool is_known = std::ranges::any_of(sources, [source](std::string_view each) {
    return each.data() == source.data() && each.size() == source.size();
  });
  if (!is_known) sources.push_back(source);
}

std::string DefaultReleases::Named::line(std::string_view because) const {
  std::set<std::string> names;  // "Kubernetes 1.36"
  if (kubernetes) names.insert("Kubernetes " + text(KubernetesVersion{}));
  for (const std::string_view source : sources) names.insert(release_of(source));
  names.erase("");
  if (names.empty()) return {};
  std::string list;
  for (const std::string& each : names) list += (list.empty() ? "" : ", ") + each;
  return "# For " + list + ": the newest that trainyard knows, as " + std::string(because) + ".\n";
}

void DefaultReleases::note(const ObjectSet& objects, const SchemaPack& schemas,
                           const Cluster* cluster) {
  Named& releases = cluster == nullptr ? without_ : unstated_;
  if (!objects.pods.empty() && (cluster == nullptr || !cluster->spec->kubernetes.given())) {
    releases.kubernetes = true;
  }
  for (const Object& object : objects.objects) {
    const SchemaKind* kind = schemas.find(object.api_version, object.kind);
    if (kind == nullptr) continue;
    if (cluster != nullptr && states_version(*cluster, object.api_version)) continue;
    releases.add(schemas.text(kind->source));
  }
}

void DefaultReleases::merge(const DefaultReleases& other) {
  for (const auto& [to, from] :
       {std::pair(&without_, &other.without_), std::pair(&unstated_, &other.unstated_)}) {
    to->kubernetes = to->kubernetes || from->kubernetes;
    for (const std::string_view source : from->sources) to->add(source);
  }
}

std::string DefaultReleases::lines() const {
  return without_.line("no Cluster was named") + unstated_.line("the Cluster does not say");
}

}  // namespace trainyard
