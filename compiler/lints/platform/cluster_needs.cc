// What the Cluster says that all its pods need, and `build` writes.

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "spec/cluster.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Patches leave out what the template has that they go onto.
bool is_patch(const Pod& pod) {
  return (pod.controller_defaults & kIsPatch) == kIsPatch;
}

View gpus_of(const Pod& pod) {
  for (const PodContainer& each : pod.containers) {
    if (const Devices devices = devices_of(get(each.node, "resources")); devices.all() > 0) {
      return devices.at;
    }
  }
  return {};
}

void runtime_class(const Pod& pod, CheckContext& context) {
  const Cluster* cluster = context.cluster();
  if (cluster == nullptr || is_patch(pod)) return;
  const Text& runtime = cluster->spec->gpu->runtime_class;
  const View gpus = runtime ? gpus_of(pod) : View();
  const View own = get(pod.spec, "runtimeClassName");
  if (!gpus || string_of(own) == *runtime) return;
  context
      .lint(own ? own : gpus, own ? "pods with GPUs need runtime class " + shown(*runtime) +
                                        " on this cluster, and these name " + shown(string_of(own))
                                  : "pods with GPUs need runtime class " + shown(*runtime) +
                                        " on this cluster, and these name none")
      .also(runtime.span, "the Cluster says so");
}

/// Registries that give their images to all.
constexpr auto kPublic = std::to_array<std::string_view>(
    {"docker.io", "registry.k8s.io", "k8s.gcr.io", "quay.io", "public.ecr.aws", "mcr.microsoft.com",
     "ghcr.io", "gcr.io", "nvcr.io"});

/// The host of a registry that may want a login; "" for others.
std::string_view private_registry(std::string_view image) {
  const std::size_t slash = image.find('/');
  if (slash == image.npos) return {};
  const std::string_view host = image.substr(0, slash);
  const bool is_host = host.find_first_of(".:") != host.npos;
  return is_host && std::ranges::find(kPublic, host) == kPublic.end() ? host : std::string_view();
}

/// An account that is not `default` may have a secret of its own.
bool account_may_have_one(const Pod& pod) {
  const std::string_view name = string_at(pod.spec, "serviceAccountName");
  return !name.empty() && name != "default";
}

void pull_secrets(const Pod& pod, CheckContext& context) {
  const Cluster* cluster = context.cluster();
  if (cluster == nullptr || is_patch(pod) || context.cluster_tree() == nullptr) return;
  const Shape& secrets = cluster->spec->defaults->image_pull_secrets;
  if (!secrets.given() || has_items(get(pod.spec, "imagePullSecrets"))) return;
  const View stated(*context.cluster_tree(), secrets.node);
  if (!has_items(stated) || account_may_have_one(pod)) return;
  for (const PodContainer& each : pod.containers) {
    const View image = get(each.node, "image");
    const std::string_view registry = private_registry(string_of(image));
    if (registry.empty()) continue;
    context
        .lint(image, "pods of this cluster pull with Secret " +
                         shown(string_at(stated.first(), "name")) +
                         ", and these name none for the images of " + shown(registry))
        .also(context.place(stated), "the Cluster says so");
    return;
  }
}

/// The scheduler of a system, by the name that it is installed with; as rules/wanted_scheduling.cc
/// has it. "" for one that leaves pods to the scheduler of Kubernetes.
std::string_view scheduler_of(SchedulingSystem system) {
  switch (system) {
    case SchedulingSystem::Volcano:
      return "volcano";
    case SchedulingSystem::Kai:
      return "kai-scheduler";
    case SchedulingSystem::Coscheduling:
      return "scheduler-plugins-scheduler";
    case SchedulingSystem::Runai:
      return "runai-scheduler";
    case SchedulingSystem::None:
    case SchedulingSystem::Kueue:
    case SchedulingSystem::Native:
      break;
  }
  return {};
}

void scheduler(const Pod& pod, CheckContext& context) {
  const Cluster* cluster = context.cluster();
  if (cluster == nullptr || is_patch(pod)) return;
  const DefaultScheduling& stated = *cluster->spec->defaults->scheduling;
  const Text& name = stated.scheduler_name;
  const std::string_view wanted =
      name ? *name : scheduler_of(stated.system.value_or(SchedulingSystem::None));
  const View gpus = wanted.empty() ? View() : gpus_of(pod);
  const View own = get(pod.spec, "schedulerName");
  if (!gpus || !string_of(own).empty()) return;
  // Volcano's controller and operators with a gang scheduler put the name in.
  const std::string_view group = group_of(string_at(context.object(), "apiVersion"));
  if (group == "batch.volcano.sh" || group == "kubeflow.org" || group == "ray.io") return;
  context
      .lint(gpus, "pods with GPUs go to scheduler " + shown(wanted) +
                      " on this cluster, and these name none")
      .also(name ? name.span : stated.system.span, "the Cluster says so");
}

constexpr std::string_view kSource =
    "NVIDIA/gpu-operator issue 346; NVIDIA/k8s-device-plugin issue 826; "
    "schemas/trainyard/v1alpha1/Cluster.yaml";

constexpr Check kChecks[] = {
    {.name = "runtime-class-of-cluster",
     .group = CheckGroup::Gpu,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "Pods with GPUs name the runtime class that the Cluster has for them.",
     .source = kSource,
     .pod = runtime_class,
     .severity = Severity::Warning,
     .because = "The default runtime of such nodes puts no driver into a container: the program "
                "finds no GPU.",
     .fix = "set `runtimeClassName` in the pod template",
     .rule = "runtime-class"},
    {.name = "pull-secret-of-cluster",
     .group = CheckGroup::Secrets,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "Pods name the pull secret that the Cluster has for its jobs.",
     .source = kSource,
     .pod = pull_secrets,
     .severity = Severity::Warning,
     .because = "The kubelet pulls without a login, and the pods stay in ImagePullBackOff.",
     .fix = "add `imagePullSecrets` to the pod template, or turn this check off where the service "
            "account has it",
     .rule = "pull-secrets"},
    {.name = "scheduler-of-cluster",
     .group = CheckGroup::Queue,
     .effect = Effect::RunsWrong,
     .stage = Stage::Preview,
     .sentence = "Pods with GPUs go to the scheduler that the Cluster has for its jobs.",
     .source = kSource,
     .pod = scheduler,
     .severity = Severity::Warning,
     .because = "Two schedulers give the same GPUs away: pods are refused by their node, and "
                "queues and gangs count for nothing.",
     .fix = "set `schedulerName` in the pod template",
     .rule = "queueing"},
};

}  // namespace

const std::span<const Check> cluster_need_lints = kChecks;

}  // namespace trainyard
