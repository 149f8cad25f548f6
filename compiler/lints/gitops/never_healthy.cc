// Objects for whose health a sync of Argo CD waits in vain.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "lints/training/endless_program.h"
#include "manifest/metadata.h"
#include "manifest/sync_moment.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// What keeps an object from being healthy.
struct Hindrance {
  View at;
  std::string why;
};

View pod_spec(View object) {
  const View spec = get(object, "spec");
  return string_at(object, "kind") == "Pod" ? spec : get(get(spec, "template"), "spec");
}

/// Pods that end when their program does, whose program does not.
Hindrance endless(View object) {
  const View spec = pod_spec(object);
  const std::string_view policy = string_at(spec, "restartPolicy");
  if (policy != "Never" && policy != "OnFailure") return {};
  for (View container : items_at(spec, "containers")) {
    if (const View at = runs_for_good(container)) return {at, "this program never ends"};
  }
  return {};
}

Hindrance hindrance_of(View object) {
  const std::string_view kind = string_at(object, "kind");
  const View spec = get(object, "spec");
  if (kind == "Deployment") {
    const View paused = get(spec, "paused");
    return is_true(paused) ? Hindrance{paused, "a paused Deployment is never healthy"}
                           : Hindrance();
  }
  if (kind == "Job") {
    const View queue = label(object, "kueue.x-k8s.io/queue-name");
    const View suspend = get(spec, "suspend");
    if (!string_of(queue).empty()) {
      return {queue, "this Job is suspended until its queue admits it"};
    }
    if (is_true(suspend)) return {suspend, "a suspended Job never ends"};
  }
  return endless(object);
}

/// Whether both surely come from one Application: waves of two have nothing to do with each other.
bool are_together(View one, View other, const SyncMoment& moment, const SyncMoment& its) {
  return one->span.file == other->span.file || (moment.annotation && its.annotation);
}

/// An object of the same Application that is applied later; an empty view for none that is known.
View applied_later(View object, const SyncMoment& own, const Inventory& inventory) {
  for (View other : inventory.all(kSyncGroup, kSyncKind)) {
    const SyncMoment its = sync_moment(other);
    if (its.is_known && own < its && are_together(object, other, own, its)) return other;
  }
  return {};
}

/// Objects without a wave are in wave 0 of the phase Sync.
bool comes_before_most(const SyncMoment& own) {
  return own.phase == 0 || (own.phase == 1 && own.wave < 0);
}

void sync_waits(View object, CheckContext& context) {
  if (context.is_ours()) return;
  const SyncMoment own = sync_moment(object);
  if (!own.is_known || !own.annotation) return;
  const Hindrance found = hindrance_of(object);
  if (!found.at) return;
  if (own.hook) {
    context.lint(found.at, found.why + ", and the sync waits for it, as it is a hook")
        .also(context.place(own.hook), "makes it a hook");
    return;
  }
  View later;
  if (!comes_before_most(own)) {
    const Inventory* inventory = context.inventory();
    if (inventory == nullptr) return;
    later = applied_later(object, own, *inventory);
    if (!later) return;
  }
  Diagnostic& told =
      context.lint(found.at, found.why + ", and Argo CD waits for it before the waves behind");
  told.also(context.place(own.annotation), "its wave");
  if (later) told.also(context.place(sync_moment(later).annotation), "a later one");
}

/// A training takes long, and only a Job of Kubernetes has a health that Argo CD knows by itself.
void job_in_wave(const Workload& workload, CheckContext& context) {
  const View object = workload.object;
  const bool is_job = workload.is("batch", "Job");
  const SyncMoment own = sync_moment(object);
  if (!own.is_known || !own.annotation || context.is_ours()) return;
  const bool is_queued = !string_of(label(object, "kueue.x-k8s.io/queue-name")).empty();
  if (workload.gpu_pods == 0 && !is_queued) return;
  if (is_job && hindrance_of(object).at) return;  // `sync-never-ends` reports it
  if (own.hook) {
    context.lint(own.hook,
                 "a hook is run at each sync: Argo CD deletes this training, and it begins again");
    return;
  }
  const Inventory* inventory = is_job ? context.inventory() : nullptr;
  const View later = inventory == nullptr ? View() : applied_later(object, own, *inventory);
  if (!later) return;
  context
      .lint(own.annotation,
            "Argo CD waits until this training has ended before it applies the waves behind")
      .also(context.place(sync_moment(later).annotation), "a later one");
}

/// Whether an object is a pod, or has one, that mounts the claim.
bool mounts_claim(View object, std::string_view claim) {
  for (View volume : items_at(pod_spec(object), "volumes")) {
    if (string_at(get(volume, "persistentVolumeClaim"), "claimName") == claim) return true;
  }
  return false;
}

View class_of(View claim, const Inventory& inventory) {
  const std::string_view name = string_at(get(claim, "spec"), "storageClassName");
  if (!name.empty()) return inventory.find("storage.k8s.io", "StorageClass", "", name);
  for (View each : inventory.all("storage.k8s.io", "StorageClass")) {
    const View is_default = annotation(each, "storageclass.kubernetes.io/is-default-class");
    if (string_of(is_default) == "true") return each;
  }
  return {};
}

/// The pods of a claim among the objects with a wave: the first one that comes later, and whether
/// any comes with it or before.
struct Users {
  View later;
  bool any_in_time = false;
};

Users users_of(View claim, const SyncMoment& own, const Inventory& inventory) {
  const View metadata = get(claim, "metadata");
  Users users;
  for (View other : inventory.all(kSyncGroup, kSyncKind)) {
    const bool is_here =
        string_at(metadata, "namespace") == string_at(get(other, "metadata"), "namespace");
    if (!is_here || !mounts_claim(other, string_at(metadata, "name"))) continue;
    const SyncMoment its = sync_moment(other);
    if (!its.is_known || !are_together(claim, other, own, its)) continue;
    if (!(own < its)) {
      users.any_in_time = true;
    } else if (!users.later) {
      users.later = other;
    }
  }
  return users;
}

void claim_waits(View claim, CheckContext& context) {
  const SyncMoment own = sync_moment(claim);
  if (context.is_ours() || !own.is_known) return;
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return;
  const View storage = class_of(claim, *inventory);
  const View mode = get(storage, "volumeBindingMode");
  if (string_of(mode) != "WaitForFirstConsumer") return;
  const Users users = users_of(claim, own, *inventory);
  const bool is_early = own.annotation && comes_before_most(own);
  if (users.any_in_time || (!users.later && !is_early)) return;
  Diagnostic& told = context.lint(
      own.annotation ? own.annotation : metadata_name(claim),
      "class " + shown(string_of(metadata_name(storage))) +
          " binds this claim with its first pod, and Argo CD waits for the claim before it "
          "applies the pod");
  told.also(context.place(mode), "how the class binds");
  if (users.later) told.also(context.place(sync_moment(users.later).annotation), "the pod's wave");
}

constexpr std::string_view kSource =
    "argoproj/argo-cd gitops-engine/pkg/sync/sync_context.go Sync, getOperationPhase; "
    "gitops-engine/pkg/health/health_job.go, health_pod.go, health_deployment.go, health_pvc.go; "
    "issues 10600 and 12840";

constexpr Check kChecks[] = {
    {.name = "sync-never-ends",
     .group = CheckGroup::GitOps,
     .effect = Effect::RunsWrong,
     .stage = Stage::Preview,
     .on = "core Pod; batch Job; apps Deployment",
     .sentence = "A hook of Argo CD, or an object with waves behind it, comes to an end.",
     .source = kSource,
     .object = sync_waits,
     .severity = Severity::Warning,
     .because = "Argo CD goes on when hooks have ended and objects of earlier waves are healthy: "
                "the sync runs until a user stops it.",
     .fix = "take `suspend`, the queue or the hook away, or give the object the last wave"},
    {.name = "job-in-wave",
     .group = CheckGroup::GitOps,
     .effect = Effect::RunsWrong,
     .stage = Stage::Preview,
     .sentence = "A training job is not an Argo CD hook, and no later sync wave waits for it.",
     .source = kSource,
     .workload = job_in_wave,
     .severity = Severity::Warning,
     .because = "A sync waits for hooks and for waves, and the Application takes no other change "
                "until it ends.",
     .fix = "take the hook away, and give the training the last wave"},
    {.name = "sync-of-claim",
     .group = CheckGroup::GitOps,
     .effect = Effect::RunsWrong,
     .stage = Stage::Preview,
     .on = "core PersistentVolumeClaim",
     .sentence = "A claim that binds with its first pod is in the wave of that pod.",
     .source = kSource,
     .object = claim_waits,
     .severity = Severity::Warning,
     .because = "An unbound claim is not healthy: the pod that would bind it is never applied.",
     .fix = "give the claim the `argocd.argoproj.io/sync-wave` of its first pod"},
};

}  // namespace

const std::span<const Check> never_healthy_lints = kChecks;

}  // namespace trainyard
