#include <algorithm>
#include <array>
#include <string>

#include "check/check.h"
#include "check/names.h"
#include "check/paths.h"
#include "check/read.h"
#include "check/tables.h"
#include "schema/names.h"
#include "schema/words.h"
#include "tree/quantity.h"

namespace trainyard {
namespace {

constexpr std::string_view kStorage =
    "kubernetes/kubernetes pkg/apis/storage/validation/validation.go";

void storage_class(View object, CheckContext& context) {
  constexpr auto reclaim = std::to_array<std::string_view>({"Delete", "Retain"});
  constexpr auto modes = std::to_array<std::string_view>({"Immediate", "WaitForFirstConsumer"});
  const View provisioner = get(object, "provisioner");
  require_text(object, "provisioner", context);
  context.name(provisioner, "provisioner", why_not_annotation_key);
  context.allow(get(object, "reclaimPolicy"), "reclaim policy", reclaim);
  const View mode = get(object, "volumeBindingMode");
  if (mode && mode->kind == Kind::String && mode->text.empty()) {
    context.refuse(mode, "the binding mode is empty; leave it out for `Immediate`");
  }
  context.allow(mode, "volume binding mode", modes);
  for (View term : items_at(object, "allowedTopologies")) {
    for (View expression : items_at(term, "matchLabelExpressions")) {
      const View key = get(expression, "key");
      require_text(expression, "key", context);
      context.name(key, "label", why_not_label_key);
      const View values = get(expression, "values");
      if (!has_items(values) && !context.is_flagged(expression)) {
        context.refuse(values ? values : expression, "no `values`: expected one at least");
      }
    }
  }
}

void attributes_class(View object, CheckContext& context) {
  require_text(object, "driverName", context);
  if (has_items(get(object, "parameters"))) return;
  context.refuse(object, "no `parameters`: expected one at least");
}

// ---- PersistentVolume -----------------------------------------------------------------------

constexpr auto kSources = std::to_array<std::string_view>({"awsElasticBlockStore",
                                                           "azureDisk",
                                                           "azureFile",
                                                           "cephfs",
                                                           "cinder",
                                                           "csi",
                                                           "fc",
                                                           "flexVolume",
                                                           "flocker",
                                                           "gcePersistentDisk",
                                                           "glusterfs",
                                                           "hostPath",
                                                           "iscsi",
                                                           "local",
                                                           "nfs",
                                                           "photonPersistentDisk",
                                                           "portworxVolume",
                                                           "quobyte",
                                                           "rbd",
                                                           "scaleIO",
                                                           "storageos",
                                                           "vsphereVolume"});

void one_source(View spec, CheckContext& context) {
  View first;
  for (View entry : Items(spec)) {
    if (!get(spec, entry->key) || std::ranges::find(kSources, entry->key) == kSources.end()) {
      continue;
    }
    if (first) {
      context.refuse_key(entry, "a volume has one source, and " + shown(first->key) + " is one")
          .also(context.place(first), "the first one");
    } else {
      first = entry;
    }
  }
  if (!first) context.refuse(spec, "the volume has no source, such as `csi` or `nfs`");
}

void modes(View spec, CheckContext& context) {
  constexpr auto known = std::to_array<std::string_view>(
      {"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"});
  const View list = get(spec, "accessModes");
  if (!has_items(list)) {
    context.refuse(list ? list : spec, "no `accessModes`: expected one at least");
  }
  View alone;
  for (View mode : items_at(spec, "accessModes")) {
    context.allow(mode, "access mode", known);
    if (string_of(mode) == "ReadWriteOncePod") alone = mode;
  }
  if (alone && list->size > 1) {
    context.refuse(alone, "`ReadWriteOncePod` goes with no other access mode");
  }
}

void capacity(View spec, CheckContext& context) {
  const View amounts = get(spec, "capacity");
  const View storage = get(amounts, "storage");
  if (!storage || amounts->size > 1) {
    context.refuse(amounts ? amounts : spec, "the capacity of a volume is its `storage` alone");
  }
  if (!storage || !storage->is_scalar()) return;
  const auto amount = Quantity::parse(storage->text);
  if (amount && (amount->is_zero() || amount->is_negative())) {
    context.refuse(storage, "a volume of " + shown(storage->text) + " holds nothing");
  }
}

void source_paths(View spec, CheckContext& context) {
  require_text(get(spec, "local"), "path", context);
  for (std::string_view key : {"hostPath", "local"}) {
    const View path = get(get(spec, key), "path");
    if (string_of(path).empty()) continue;
    if (const auto fault = why_steps_up(path->text)) {
      context.refuse(path, "path " + shown(path->text) + " " + *fault);
    } else if (path->text == "/" && key == "hostPath" &&
               string_at(spec, "persistentVolumeReclaimPolicy") == "Recycle") {
      context.refuse(get(spec, "persistentVolumeReclaimPolicy"),
                     "`Recycle` would empty `/` of the node");
    }
  }
}

void attributes(View spec, CheckContext& context) {
  const View name = get(spec, "volumeAttributesClassName");
  if (!name) return;
  if (name->kind == Kind::String && name->text.empty()) {
    context.refuse(name, "the class of the volume's attributes is empty; leave it out");
    return;
  }
  context.name(name, "volume attributes class", why_not_subdomain);
  if (!get(spec, "csi")) {
    context.refuse_key(name, "only a `csi` volume has a class of attributes");
  }
}

void volume(View object, CheckContext& context) {
  constexpr auto reclaim = std::to_array<std::string_view>({"Retain", "Recycle", "Delete"});
  constexpr auto kinds = std::to_array<std::string_view>({"Block", "Filesystem"});
  const View spec = get(object, "spec");
  if (!spec || !spec->is_map()) {
    if (!spec) context.refuse(object, "a volume without `spec`");
    return;
  }
  modes(spec, context);
  capacity(spec, context);
  one_source(spec, context);
  context.allow(get(spec, "persistentVolumeReclaimPolicy"), "reclaim policy", reclaim);
  const View mode = get(spec, "volumeMode");
  if (mode && mode->kind == Kind::String && mode->text.empty()) {
    context.refuse(mode, "the volume mode is empty; leave it out for `Filesystem`");
  }
  context.allow(mode, "volume mode", kinds);
  context.name(get(spec, "storageClassName"), "storage class", why_not_subdomain);
  const View csi = get(spec, "csi");
  require_text(csi, "driver", context);
  require_text(csi, "volumeHandle", context);
  source_paths(spec, context);
  attributes(spec, context);
  if (get(spec, "local") && !get(get(spec, "nodeAffinity"), "required")) {
    context.refuse(get(spec, "local"), "a local volume needs `nodeAffinity`: where it is");
  }
}

constexpr Check kChecks[] = {
    {.name = "storage-class",
     .on = "storage.k8s.io StorageClass",
     .sentence = "A StorageClass names its provisioner, and policies that exist.",
     .source = kStorage,
     .object = storage_class},
    {.name = "volume-attributes-class",
     .on = "storage.k8s.io VolumeAttributesClass",
     .sentence = "A VolumeAttributesClass has a driver and a parameter for it.",
     .source = kStorage,
     .object = attributes_class},
    {.name = "persistent-volume",
     .on = "core PersistentVolume",
     .sentence = "A volume has one source, a size and ways to be mounted.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go "
               "ValidatePersistentVolumeSpec",
     .object = volume},
};

}  // namespace

constinit const std::span<const Check> storage_checks = kChecks;

}  // namespace trainyard
