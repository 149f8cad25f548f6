#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>

#include "admission/immutable_fields.h"
#include "admission/replaced_object.h"
#include "admission/tables.h"
#include "admission/volumes.h"
#include "check/check.h"
#include "diag/words.h"
#include "manifest/secret_sources.h"
#include "source/base64.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

// What may not change of claims, volumes, ConfigMaps, Services and classes.

namespace trainyard {
namespace {

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
                                 (was == before.end() ? "` is new" : "` is changed"))
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
  context.refuse(type ? type : name, "the type of an existing Secret cannot change: it is " +
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
              was.empty() ? "a Service that has an address cannot become headless"
                          : "`clusterIP` of an existing Service cannot change: it is " + shown(was))
      .note("delete the Service first, or give this one another name");
}

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
    {.name = "claim-stays",
     .group = CheckGroup::Storage,
     .on = "core PersistentVolumeClaim",
     .sentence = "A claim keeps its class, its access modes and its volume, and does not shrink.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go "
               "ValidatePersistentVolumeClaimUpdate",
     .object = claim_stays},
    {.name = "volume-stays",
     .group = CheckGroup::Storage,
     .on = "core PersistentVolume",
     .sentence = "A volume stays where it is.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go "
               "ValidatePersistentVolumeUpdate",
     .object = volume_stays},
    {.name = "config-stays",
     .group = CheckGroup::Core,
     .on = "core ConfigMap Secret",
     .sentence = "What is immutable stays as it is, and a Secret keeps its type.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go ValidateSecretUpdate, "
               "ValidateConfigMapUpdate",
     .object = config_stays},
    {.name = "service-address-stays",
     .group = CheckGroup::Core,
     .on = "core Service",
     .sentence = "A Service keeps its address, and stays headless or not.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go "
               "validateUpgradeDowngradeClusterIPs",
     .object = service_address_stays},
    {.name = "class-stays",
     .group = CheckGroup::Platform,
     .on = "storage.k8s.io StorageClass VolumeAttributesClass; scheduling.k8s.io PriorityClass",
     .sentence = "What a class gives to those who name it does not change.",
     .source = "kubernetes/kubernetes pkg/apis/storage/validation/validation.go "
               "ValidateStorageClassUpdate, pkg/apis/scheduling/validation/validation.go "
               "ValidatePriorityClassUpdate",
     .object = class_stays},
    {.name = "role-stays",
     .group = CheckGroup::Platform,
     .on = "rbac.authorization.k8s.io RoleBinding ClusterRoleBinding",
     .sentence = "A binding keeps the role that it binds to.",
     .source = "kubernetes/kubernetes pkg/apis/rbac/validation/validation.go "
               "ValidateRoleBindingUpdate",
     .object = role_stays},
    {.name = "device-claim-stays",
     .group = CheckGroup::Gpu,
     .on = "resource.k8s.io ResourceClaim ResourceClaimTemplate",
     .sentence = "What a claim of devices asks for does not change.",
     .source = "kubernetes/kubernetes pkg/apis/resource/validation/validation.go "
               "ValidateResourceClaimUpdate",
     .object = device_claim_stays},
};

}  // namespace

constinit const std::span<const Check> object_update_checks = kChecks;

}  // namespace trainyard
