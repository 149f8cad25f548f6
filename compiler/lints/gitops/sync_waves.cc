// Objects that Argo CD applies before what they cannot do without.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/sync_moment.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// An object by whose name another one refers to it.
struct Need {
  std::string_view group;
  std::string_view kind;
  View name;
};

void add(std::vector<Need>& needs, std::string_view group, std::string_view kind, View holder,
         std::string_view key) {
  const View name = get(holder, key);
  if (string_of(name).empty() || is_true(get(holder, "optional"))) return;
  needs.push_back({group, kind, name});
}

void add_of_containers(View pod, std::vector<Need>& needs) {
  for (std::string_view list : {"initContainers", "containers"}) {
    for (View container : items_at(pod, list)) {
      for (View each : items_at(container, "env")) {
        const View from = get(each, "valueFrom");
        add(needs, "", "ConfigMap", get(from, "configMapKeyRef"), "name");
        add(needs, "", "Secret", get(from, "secretKeyRef"), "name");
      }
      for (View each : items_at(container, "envFrom")) {
        add(needs, "", "ConfigMap", get(each, "configMapRef"), "name");
        add(needs, "", "Secret", get(each, "secretRef"), "name");
      }
    }
  }
}

void add_of_volumes(View pod, std::vector<Need>& needs) {
  for (View volume : items_at(pod, "volumes")) {
    add(needs, "", "PersistentVolumeClaim", get(volume, "persistentVolumeClaim"), "claimName");
    add(needs, "", "ConfigMap", get(volume, "configMap"), "name");
    add(needs, "", "Secret", get(volume, "secret"), "secretName");
    for (View source : items_at(get(volume, "projected"), "sources")) {
      add(needs, "", "ConfigMap", get(source, "configMap"), "name");
      add(needs, "", "Secret", get(source, "secret"), "name");
    }
  }
}

/// What an object cannot do without. Namespaces and CustomResourceDefinitions are none of these:
/// Argo CD moves them before the first object that is in one.
std::vector<Need> needs_of(View object) {
  const View spec = get(object, "spec");
  const std::string_view kind = string_at(object, "kind");
  std::vector<Need> needs;
  if (kind == "TrainJob") {
    const View ref = get(spec, "runtimeRef");
    const bool own = string_at(ref, "kind") == "TrainingRuntime";
    add(needs, "trainer.kubeflow.org", own ? "TrainingRuntime" : "ClusterTrainingRuntime", ref,
        "name");
    return needs;
  }
  // Without pods it is healthy at once.
  if (integer_at(spec, "replicas") == 0) return needs;
  const View pod = kind == "Pod" ? spec : get(get(spec, "template"), "spec");
  add(needs, "", "ServiceAccount", pod, "serviceAccountName");
  add(needs, "scheduling.k8s.io", "PriorityClass", pod, "priorityClassName");
  add(needs, "kueue.x-k8s.io", "LocalQueue", get(get(object, "metadata"), "labels"),
      "kueue.x-k8s.io/queue-name");
  add_of_volumes(pod, needs);
  add_of_containers(pod, needs);
  return needs;
}

/// Whether both surely come from one Application: waves of two have nothing to do with each other.
bool are_together(View user, View needed, const SyncMoment& one, const SyncMoment& other) {
  return user->span.file == needed->span.file || (one.annotation && other.annotation);
}

void sync_wave(View object, CheckContext& context) {
  if (context.is_ours()) return;
  const SyncMoment own = sync_moment(object);
  if (!own.is_known) return;
  const View metadata = get(object, "metadata");
  const bool in_space = !string_at(metadata, "name").empty() || get(metadata, "generateName");
  if (!in_space) return;
  std::vector<std::string_view> told;
  for (const Need& need : needs_of(object)) {
    const Inventory* inventory = context.inventory();
    if (inventory == nullptr) return;
    const View other =
        inventory->find(need.group, need.kind, string_at(metadata, "namespace"), need.name->text);
    if (!other || std::ranges::find(told, need.name->text) != told.end()) continue;
    const SyncMoment its = sync_moment(other);
    if (!its.is_known || !(own < its) || !are_together(object, other, own, its)) continue;
    told.push_back(need.name->text);
    const View before = own.annotation ? own.annotation : its.annotation;
    context
        .lint(own.annotation ? own.annotation : need.name,
              "this is applied in " + shown(own, its) + ", and " + std::string(need.kind) + " " +
                  trainyard::shown(need.name->text) + ", which it needs, only in " +
                  shown(its, own))
        .also(context.place(its.annotation ? its.annotation : before), "when that is applied");
  }
}

constexpr Check kChecks[] = {
    {.name = "sync-wave",
     .group = CheckGroup::GitOps,
     .effect = Effect::NeverRuns,
     // Kinds of whose health Argo CD has an opinion, and one whose webhook wants the other object.
     .on = "core Pod; batch Job; apps Deployment StatefulSet ReplicaSet DaemonSet; "
           "trainer.kubeflow.org TrainJob",
     .sentence = "Argo CD applies an object after those that it cannot do without.",
     .source = "argoproj/gitops-engine pkg/sync/sync_context.go Sync, pkg/sync/sync_tasks.go Sort, "
               "pkg/health/health.go; kubeflow/trainer pkg/runtime/core/trainingruntime.go "
               "ValidateObjects",
     .object = sync_wave,
     .severity = Severity::Warning,
     .because = "It goes on to the next wave when all objects of one are healthy: this one never "
                "is, and the other is never applied.",
     .fix = "give what is needed a lower `argocd.argoproj.io/sync-wave` than its users, or the "
            "same, and make it a hook of the same phase"},
};

}  // namespace

const std::span<const Check> sync_wave_lints = kChecks;

}  // namespace trainyard
