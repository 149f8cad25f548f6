#include <algorithm>
#include <array>

#include "admission/name_checks.h"
#include "admission/node_terms.h"
#include "admission/tables.h"
#include "admission/volume_paths.h"
#include "admission/volumes.h"
#include "check/check.h"
#include "diag/words.h"
#include "schema/names.h"
#include "source/word_table.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr auto kSources = word_table<
    "awsElasticBlockStore azureDisk azureFile cephfs cinder csi fc flexVolume flocker "
    "gcePersistentDisk glusterfs hostPath iscsi local nfs photonPersistentDisk portworxVolume "
    "quobyte rbd scaleIO storageos vsphereVolume">;

void one_source(View spec, CheckContext& context) {
  View first;
  for (View entry : Items(spec)) {
    if (!get(spec, entry.key()) || std::ranges::find(kSources, entry.key()) == kSources.end()) {
      continue;
    }
    if (first) {
      context.refuse_key(entry, "a volume has one source, and " + shown(first.key()) + " is one")
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

void csi(View source, CheckContext& context) {
  require_text(source, "driver", context);
  if (is_set(get(source, "driver"))) check_driver_name(get(source, "driver"), "driver", context);
  require_text(source, "volumeHandle", context);
  for (std::string_view key : {"controllerPublishSecretRef", "controllerExpandSecretRef",
                               "nodePublishSecretRef", "nodeExpandSecretRef"}) {
    require_text(get(source, key), "name", context);
    require_text(get(source, key), "namespace", context);
  }
}

/// What sources of other sorts have to say.
void sources(View spec, CheckContext& context) {
  struct Needed {
    std::string_view source;
    std::string_view field;
  };
  constexpr Needed kNeeded[] = {
      {"nfs", "server"},          {"nfs", "path"},
      {"hostPath", "path"},       {"local", "path"},
      {"iscsi", "targetPortal"},  {"iscsi", "iqn"},
      {"glusterfs", "path"},      {"glusterfs", "endpoints"},
      {"azureFile", "shareName"}, {"azureFile", "secretName"},
  };
  for (const Needed& row : kNeeded) {
    require_text(get(spec, row.source), row.field, context);
  }
  const View path = get(get(spec, "nfs"), "path");
  if (!string_of(path).empty() && !path->text.starts_with('/')) {
    context.refuse(path, "the path of an export is absolute, not " + shown(path->text));
  }
}

void source_paths(View spec, CheckContext& context) {
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
  if (name.kind() == Kind::String && name->text.empty()) {
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
  if (mode && mode.kind() == Kind::String && mode->text.empty()) {
    context.refuse(mode, "the volume mode is empty; leave it out for `Filesystem`");
  }
  context.allow(mode, "volume mode", kinds);
  context.name(get(spec, "storageClassName"), "storage class", why_not_subdomain);
  csi(get(spec, "csi"), context);
  sources(spec, context);
  const View affinity = get(spec, "nodeAffinity");
  const View required = get(affinity, "required");
  if (affinity && affinity->is_map() && !required) {
    context.refuse(affinity, "`nodeAffinity` without `required` says nothing of nodes");
  }
  if (required && required->is_map()) check_node_selector_terms(required, context);
  source_paths(spec, context);
  attributes(spec, context);
  if (get(spec, "local") && !get(get(spec, "nodeAffinity"), "required")) {
    context.refuse(get(spec, "local"), "a local volume needs `nodeAffinity`: where it is");
  }
}

constexpr Check kChecks[] = {
    {.name = "persistent-volume",
     .group = CheckGroup::Storage,
     .on = "core PersistentVolume",
     .sentence = "A volume has one source, a size and ways to be mounted.",
     .source = "kubernetes/kubernetes pkg/apis/core/validation/validation.go "
               "ValidatePersistentVolumeSpec",
     .object = volume},
};

}  // namespace

std::span<const std::string_view> persistent_volume_sources() {
  return kSources;
}

constinit const std::span<const Check> storage_checks = kChecks;

}  // namespace trainyard
