#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>

#include "admission/immutable_fields.h"
#include "admission/tables.h"
#include "admission/volumes.h"
#include "check/check.h"
#include "diag/words.h"
#include "manifest/secret_sources.h"
#include "source/base64.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Whether a tool deletes what is there before it applies this: hooks of Argo CD and Helm, and
/// where a change is forced. argoproj/argo-cd docs/user-guide/sync-options.md,
/// fluxcd/kustomize-controller docs/spec/v1/kustomizations.md (Force)
bool is_made_anew(View object) {
  const View annotations = get(get(object, "metadata"), "annotations");
  return get(annotations, "argocd.argoproj.io/hook") || get(annotations, "helm.sh/hook") ||
         string_at(annotations, "argocd.argoproj.io/sync-options").find("Force=true") !=
             std::string_view::npos ||
         string_at(annotations, "kustomize.toolkit.fluxcd.io/force") == "enabled";
}

/// What this object is to replace; nothing when that is of another version of its API, which has
/// other fields for the same.
View replaced(View object, CheckContext& context) {
  const View old = context.old();
  if (old && is_made_anew(object)) return {};
  const bool same = old && string_at(old, "apiVersion") == string_at(object, "apiVersion");
  return same ? old : View();
}

// ---- Job ------------------------------------------------------------------------------------

/// What the API server fills into a Job and its pods. What stands in the cluster has it, what is
/// applied need not. kubernetes/kubernetes pkg/apis/core/v1/defaults.go, pkg/apis/batch/v1
constexpr auto kFilledIntoPods = std::to_array<std::string_view>({
    "apiVersion",
    "batch.kubernetes.io/controller-uid",
    "batch.kubernetes.io/job-name",
    "controller-uid",
    "defaultMode",
    "divisor",
    "dnsPolicy",
    "enableServiceLinks",
    "expirationSeconds",
    "failureThreshold",
    "fsType",
    "hostPort",
    "imagePullPolicy",
    "job-name",
    "path",
    "periodSeconds",
    "protocol",
    "restartPolicy",
    "schedulerName",
    "scheme",
    "service",
    "serviceAccount",
    "status",
    "successThreshold",
    "terminationGracePeriodSeconds",
    "terminationMessagePath",
    "terminationMessagePolicy",
    "timeoutSeconds",
    "volumeMode",
});

/// What decides where pods go and what they get, which may change before a suspended Job starts.
constexpr auto kPlacing =
    std::to_array<std::string_view>({"annotations", "labels", "nodeAffinity", "nodeSelector",
                                     "resources", "schedulingGates", "tolerations"});

constexpr const char* kNewJob = "delete the Job first, or give this one another name";

std::string_view completion_mode(View spec) {
  const std::string_view mode = string_at(spec, "completionMode");
  return mode.empty() ? "NonIndexed" : mode;
}

/// What a Job has to complete: 1 where nothing is said of its size.
std::optional<std::int64_t> completions_of(View spec) {
  if (!get(spec, "completions") && !get(spec, "parallelism")) return 1;
  return integer_at(spec, "completions");
}

/// An Indexed Job may grow or shrink, all of its pods at once; another one has the number it has.
void completions_stay(View before, View now, CheckContext& context) {
  const View wanted = get(now, "completions");
  const auto count = integer_of(wanted);
  if (!count || completions_of(before) == count) return;
  if (completion_mode(now) != "Indexed") {
    const auto was = completions_of(before);
    context
        .refuse(wanted, "`completions` of a Job that is there cannot change" +
                            (was ? ": they are " + std::to_string(*was) : std::string()))
        .note(kNewJob);
    return;
  }
  const View written = get(now, "parallelism");
  const auto at_once = integer_of(written ? written : get(before, "parallelism"));
  if (at_once.value_or(1) == *count) return;
  context.refuse(wanted,
                 "`completions` of an Indexed Job change together with `parallelism`, "
                 "which is " +
                     std::to_string(at_once.value_or(1)));
}

void job_stays(View object, CheckContext& context) {
  const View before = get(replaced(object, context), "spec");
  const View now = get(object, "spec");
  if (!before || !now) return;
  if (completion_mode(before) != completion_mode(now)) {
    const View mode = get(now, "completionMode");
    context
        .refuse(mode ? mode : now, "`completionMode` of a Job that is there cannot change: it is " +
                                       shown(completion_mode(before)))
        .note(kNewJob);
    return;
  }
  completions_stay(before, now, context);
  const bool waits = is_true(get(before, "suspend"));
  ChangeRules rules{{}, kFilledIntoPods};
  if (waits) rules.free = kPlacing;
  if (Diagnostic* told = keep(before, now, "template", rules, "Job", context)) {
    told->note(kNewJob);
    if (!waits) return;
    told->note(
        "while it is suspended, labels, annotations, resources and what places its pods can "
        "change");
  }
  for (std::string_view key :
       {"podFailurePolicy", "successPolicy", "backoffLimitPerIndex", "managedBy"}) {
    if (Diagnostic* told = keep(before, now, key, {{}, kFilledIntoPods}, "Job", context)) {
      told->note(kNewJob);
    }
  }
}

// ---- Pod ------------------------------------------------------------------------------------

/// What the API server, its plugins and the scheduler fill into a Pod. kubernetes/kubernetes
/// pkg/apis/core/v1/defaults.go, plugin/pkg/admission
constexpr auto kFilledIntoPod = [] {
  constexpr auto more = std::to_array<std::string_view>(
      {"nodeName", "overhead", "preemptionPolicy", "priority", "requests", "serviceAccountName"});
  std::array<std::string_view, kFilledIntoPods.size() + more.size()> all{};
  std::ranges::copy(more, std::ranges::copy(kFilledIntoPods, all.begin()).out);
  return all;
}();

/// What may change, or may change in one direction only, which is looked at by itself.
constexpr auto kFreeOfPod = std::to_array<std::string_view>(
    {"activeDeadlineSeconds", "image", "schedulingGates", "tolerations"});
/// What places a Pod may become narrower before its gates are gone.
constexpr auto kFreeOfGatedPod =
    std::to_array<std::string_view>({"activeDeadlineSeconds", "image", "schedulingGates",
                                     "tolerations", "nodeSelector", "nodeAffinity"});

constexpr const char* kNewPod = "delete the Pod first, or give this one another name";

void pod_deadline_sinks(View before, View now, CheckContext& context) {
  const auto was = integer_at(before, "activeDeadlineSeconds");
  const View wanted = get(now, "activeDeadlineSeconds");
  const auto is = integer_of(wanted);
  if (!was || (wanted && (!is || *is <= *was))) return;
  context
      .refuse(wanted ? wanted : now,
              "the deadline of a Pod that is there can come sooner only: "
              "`activeDeadlineSeconds` is " +
                  std::to_string(*was))
      .note(kNewPod);
}

void gates_open(View before, View now, CheckContext& context) {
  for (View gate : items_at(now, "schedulingGates")) {
    const std::string_view name = string_at(gate, "name");
    const Items old = items_at(before, "schedulingGates");
    const bool is_there = std::any_of(old.begin(), old.end(),
                                      [&](View each) { return string_at(each, "name") == name; });
    if (is_there || name.empty()) continue;
    context
        .refuse(gate, "gate " + shown(name) +
                          " is new: those of a Pod that is there can only be taken away")
        .note(kNewPod);
    return;
  }
}

/// Tolerations that plugins of the API server add have keys with a domain and no value.
bool may_be_added(View toleration) {
  return string_at(toleration, "key").find('/') != std::string_view::npos &&
         string_at(toleration, "value").empty();
}

void tolerations_stay(View before, View now, bool is_live, CheckContext& context) {
  if (is_live && !get(now, "tolerations")) return;
  constexpr auto seconds = std::to_array<std::string_view>({"tolerationSeconds"});
  constexpr auto filled = std::to_array<std::string_view>({"operator"});
  for (View old : items_at(before, "tolerations")) {
    if (is_live && may_be_added(old)) continue;
    const Items wanted = items_at(now, "tolerations");
    const bool stays = std::any_of(wanted.begin(), wanted.end(), [&](View each) {
      return !first_change(old, each, {seconds, filled});
    });
    if (stays) continue;
    const View list = get(now, "tolerations");
    context
        .refuse(list ? list : now,
                "a toleration of a Pod that is there stays, but for its `tolerationSeconds`")
        .also(context.place(old), "this one is not found again")
        .note(kNewPod);
    return;
  }
}

/// One that waits at a gate may get more labels of nodes, and keeps those that it has.
void node_labels_stay(View before, View now, CheckContext& context) {
  for (View label : entries_at(before, "nodeSelector")) {
    const View wanted = get(get(now, "nodeSelector"), label.key());
    if (wanted && wanted->text == label->text) continue;
    context
        .refuse(wanted ? wanted : now, "node label " + shown(label.key()) +
                                           " of a Pod that is there cannot change: it is " +
                                           shown(label->text))
        .note(kNewPod);
  }
}

/// What the API server has written is not told from what somebody wrote, so that what is left out
/// of a Pod as the server has it is no change.
void pod_stays(View object, CheckContext& context) {
  const View old = replaced(object, context);
  const View before = get(old, "spec");
  const View now = get(object, "spec");
  if (!before || !now) return;
  const bool is_live = static_cast<bool>(get(get(old, "metadata"), "uid"));
  const bool is_gated = has_items(get(before, "schedulingGates"));
  pod_deadline_sinks(before, now, context);
  gates_open(before, now, context);
  tolerations_stay(before, now, is_live, context);
  if (is_gated && !is_live) node_labels_stay(before, now, context);
  ChangeRules rules{kFreeOfPod, kFilledIntoPod, is_live};
  if (is_gated) rules.free = kFreeOfGatedPod;
  if (Diagnostic* told = keep(old, object, "spec", rules, "Pod", context)) {
    told->note(kNewPod);
    told->note("images can change, and what makes a Pod end sooner");
  }
}

// ---- what keeps pods running ------------------------------------------------------------------

void workload_stays(View object, CheckContext& context) {
  const View before = get(replaced(object, context), "spec");
  const View now = get(object, "spec");
  if (!before || !now) return;
  const std::string_view kind = string_at(object, "kind");
  keep(before, now, "selector", {}, kind, context);
  if (kind != "StatefulSet") return;
  constexpr auto filled = std::to_array<std::string_view>(
      {"apiVersion", "kind", "podManagementPolicy", "status", "volumeMode"});
  if (get(before, "podManagementPolicy") && get(now, "podManagementPolicy")) {
    keep(before, now, "podManagementPolicy", {}, kind, context);
  }
  for (std::string_view key : {"serviceName", "volumeClaimTemplates"}) {
    keep(before, now, key, {{}, filled}, kind, context);
  }
}

// ---- claims and volumes -----------------------------------------------------------------------

View storage_of(View spec) {
  return get(get(get(spec, "resources"), "requests"), "storage");
}

std::optional<Quantity> amount(View value) {
  return value && value->is_scalar() ? Quantity::parse(value->text) : std::nullopt;
}

/// A claim grows once it has its volume, and shrinks only after a growth that has failed, down to
/// more than the volume has.
void claim_size(View old, View object, CheckContext& context) {
  const View wanted = storage_of(get(object, "spec"));
  const auto now = amount(wanted);
  const auto before = amount(storage_of(get(old, "spec")));
  if (!now || !before || *now >= *before) return;
  const auto volume = amount(get(get(get(old, "status"), "capacity"), "storage"));
  if (volume && *now > *volume && !context.before(32)) return;
  context.refuse(wanted, "a claim does not shrink: it is of " + shown(before->text()))
      .note("make a smaller claim beside it, and copy what it holds");
}

/// Fields that the control plane writes may be missing, and so may a class, which a claim gets
/// later: only two values are a change.
void claim_stays(View object, CheckContext& context) {
  const View old = replaced(object, context);
  const View before = get(old, "spec");
  const View now = get(object, "spec");
  if (!before || !now) return;
  constexpr auto filled = std::to_array<std::string_view>({"apiGroup"});
  for (std::string_view key : {"storageClassName", "volumeName", "volumeMode", "dataSourceRef"}) {
    if (get(before, key) && get(now, key)) {
      keep(before, now, key, {{}, filled}, "claim", context);
    }
  }
  keep(before, now, "accessModes", {}, "claim", context);
  keep(before, now, "selector", {}, "claim", context);
  claim_size(old, object, context);
}

/// Where a volume is, and whether it is a device. What others put into it, as the secret for its
/// growth, may come later.
void volume_stays(View object, CheckContext& context) {
  const View old = replaced(object, context);
  const View before = get(old, "spec");
  const View now = get(object, "spec");
  if (!before || !now) return;
  constexpr auto free = std::to_array<std::string_view>({"controllerExpandSecretRef"});
  constexpr auto filled =
      std::to_array<std::string_view>({"cachingMode", "fsType", "iscsiInterface", "keyring", "kind",
                                       "pool", "readOnly", "storageMode", "type", "user"});
  for (std::string_view key : persistent_volume_sources()) {
    if (keep(before, now, key, {free, filled}, "volume", context) != nullptr) break;
  }
  if (get(before, "volumeMode") && get(now, "volumeMode")) {
    keep(before, now, "volumeMode", {}, "volume", context);
  }
}

// ---- what is kept in a namespace --------------------------------------------------------------

/// What pods get of a ConfigMap or a Secret, as base64 where it may be bytes.
std::map<std::string_view, std::string> contents(View object, bool secret) {
  std::map<std::string_view, std::string> found;
  for (View entry : entries_at(object, secret ? "data" : "binaryData")) {
    std::string text(string_of(entry));
    std::erase_if(text, [](char c) { return c == '\n' || c == '\r'; });
    found[entry.key()] = std::move(text);
  }
  for (View entry : entries_at(object, secret ? "stringData" : "data")) {
    found[entry.key()] = base64(string_of(entry));
  }
  return found;
}

/// Nothing of a Secret is ever shown.
void contents_stay(View old, View object, CheckContext& context) {
  const std::string_view kind = string_at(object, "kind");
  const bool secret = kind == "Secret";
  const View promise = get(object, "immutable");
  const View name = get(get(object, "metadata"), "name");
  if (!is_true(promise)) {
    context.refuse(promise ? promise : name,
                   "this " + std::string(kind) + " is immutable, and stays so until it is deleted");
    return;
  }
  const auto before = contents(old, secret);
  const auto now = contents(object, secret);
  if (before == now) return;
  const std::string what = "this " + std::string(kind) + " is immutable, and `";
  for (std::string_view key : {"data", "binaryData", "stringData"}) {
    for (View entry : entries_at(object, key)) {
      const auto was = before.find(entry.key());
      if (was != before.end() && was->second == now.at(entry.key())) continue;
      context
          .refuse_key(entry, what + std::string(entry.key()) +
                                 (was == before.end() ? "` is new" : "` is not what it was"))
          .note("give what is new a name of its own, and refer to that");
      return;
    }
  }
  context.refuse(name, "this " + std::string(kind) + " is immutable, and some keys are left out");
}

void config_stays(View object, CheckContext& context) {
  const View old = replaced(object, context);
  if (!old || is_encrypted_by_sops(object) || is_encrypted_by_sops(old)) return;
  if (is_true(get(old, "immutable"))) contents_stay(old, object, context);
  if (string_at(object, "kind") != "Secret") return;
  constexpr std::string_view usual = "Opaque";
  const View type = get(object, "type");
  const std::string_view was = string_at(old, "type");
  const std::string_view is = string_of(type);
  if ((was.empty() ? usual : was) == (is.empty() ? usual : is)) return;
  const View name = get(get(object, "metadata"), "name");
  context.refuse(type ? type : name, "the type of a Secret that is there cannot change: it is " +
                                         shown(was.empty() ? usual : was));
}

/// The address of a Service is taken when it is made.
void service_address_stays(View object, CheckContext& context) {
  const View before = get(replaced(object, context), "spec");
  const View now = get(object, "spec");
  const View address = get(now, "clusterIP");
  if (!before || string_of(address).empty()) return;
  for (View spec : {before, now}) {
    if (string_at(spec, "type") == "ExternalName") return;
  }
  const std::string_view was = string_at(before, "clusterIP");
  // One that was applied without an address has got one, which is never `None`.
  if (was == address->text || (was.empty() && address->text != "None")) return;
  context
      .refuse(address,
              was.empty()
                  ? "a Service that has an address cannot become headless"
                  : "`clusterIP` of a Service that is there cannot change: it is " + shown(was))
      .note("delete the Service first, or give this one another name");
}

// ---- what is for the whole cluster ------------------------------------------------------------

void class_stays(View object, CheckContext& context) {
  const View old = replaced(object, context);
  if (!old) return;
  const std::string_view kind = string_at(object, "kind");
  constexpr auto filled =
      std::to_array<std::string_view>({"preemptionPolicy", "reclaimPolicy", "volumeBindingMode"});
  for (std::string_view key : {"provisioner", "driverName", "parameters", "value",
                               "preemptionPolicy", "reclaimPolicy", "volumeBindingMode"}) {
    const bool may_be_left_out = std::ranges::find(filled, key) != filled.end();
    if (may_be_left_out && (!get(old, key) || !get(object, key))) continue;
    keep(old, object, key, {}, kind, context);
  }
}

void role_stays(View object, CheckContext& context) {
  const View old = replaced(object, context);
  if (!old) return;
  constexpr auto filled = std::to_array<std::string_view>({"apiGroup"});
  if (Diagnostic* told =
          keep(old, object, "roleRef", {{}, filled}, string_at(object, "kind"), context)) {
    told->note("delete the binding first, or give this one another name");
  }
}

void device_claim_stays(View object, CheckContext& context) {
  const View old = replaced(object, context);
  if (!old) return;
  constexpr auto filled = std::to_array<std::string_view>({"allocationMode", "count", "operator"});
  if (Diagnostic* told =
          keep(old, object, "spec", {{}, filled}, string_at(object, "kind"), context)) {
    told->note("give this one another name");
  }
}

constexpr Check kChecks[] = {
    {.name = "job-stays",
     .on = "batch Job",
     .sentence = "The pods of a Job, how it counts them and who manages it do not change.",
     .source = "kubernetes/kubernetes pkg/apis/batch/validation/validation.go "
               "ValidateJobSpecUpdate",
     .object = job_stays},
    {.name = "pod-stays",
     .on = "core Pod",
     .sentence = "A Pod keeps what it runs and where, but for its images; its deadline comes no "
                 "later, its tolerations stay, and no gate is added.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go ValidatePodUpdate",
     .object = pod_stays},
    {.name = "workload-stays",
     .on = "apps Deployment ReplicaSet DaemonSet StatefulSet",
     .sentence = "The selector of a workload does not change, nor do the Service and the claims of "
                 "a StatefulSet.",
     .source = "kubernetes/kubernetes pkg/apis/apps/validation/validation.go "
               "ValidateStatefulSetUpdate, ValidateDeploymentUpdate",
     .object = workload_stays},
    {.name = "claim-stays",
     .on = "core PersistentVolumeClaim",
     .sentence = "A claim keeps its class, its access modes and its volume, and does not shrink.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go "
               "ValidatePersistentVolumeClaimUpdate",
     .object = claim_stays},
    {.name = "volume-stays",
     .on = "core PersistentVolume",
     .sentence = "A volume stays where it is.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go "
               "ValidatePersistentVolumeUpdate",
     .object = volume_stays},
    {.name = "config-stays",
     .on = "core ConfigMap Secret",
     .sentence = "What is immutable stays as it is, and a Secret keeps its type.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go ValidateSecretUpdate, "
               "ValidateConfigMapUpdate",
     .object = config_stays},
    {.name = "service-address-stays",
     .on = "core Service",
     .sentence = "A Service keeps its address, and stays headless or not.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go "
               "validateUpgradeDowngradeClusterIPs",
     .object = service_address_stays},
    {.name = "class-stays",
     .on = "storage.k8s.io StorageClass VolumeAttributesClass; scheduling.k8s.io PriorityClass",
     .sentence = "What a class gives to those who name it does not change.",
     .source = "kubernetes/kubernetes pkg/apis/storage/validation/validation.go "
               "ValidateStorageClassUpdate, pkg/apis/scheduling/validation/validation.go "
               "ValidatePriorityClassUpdate",
     .object = class_stays},
    {.name = "role-stays",
     .on = "rbac.authorization.k8s.io RoleBinding ClusterRoleBinding",
     .sentence = "A binding keeps the role that it binds to.",
     .source = "kubernetes/kubernetes pkg/apis/rbac/validation/validation.go "
               "ValidateRoleBindingUpdate",
     .object = role_stays},
    {.name = "device-claim-stays",
     .on = "resource.k8s.io ResourceClaim ResourceClaimTemplate",
     .sentence = "What a claim of devices asks for does not change.",
     .source = "kubernetes/kubernetes pkg/apis/resource/validation/validation.go "
               "ValidateResourceClaimUpdate",
     .object = device_claim_stays},
};

}  // namespace

constinit const std::span<const Check> update_checks = kChecks;

}  // namespace trainyard
