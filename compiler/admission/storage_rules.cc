#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "admission/name_checks.h"
#include "admission/node_terms.h"
#include "admission/tables.h"
#include "admission/volume_paths.h"
#include "admission/volumes.h"
#include "check/check.h"
#include "diag/words.h"
#include "schema/names.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kStorage =
    "kubernetes/kubernetes pkg/apis/storage/validation/validation.go";

void topology_expression(View expression, CheckContext& context) {
  require_text(expression, "key", context);
  context.name(get(expression, "key"), "label", why_not_label_key);
  const View values = get(expression, "values");
  if (!has_items(values) && !context.is_flagged(expression)) {
    context.refuse(values ? values : expression, "no `values`: expected one at least");
  }
  std::vector<View> seen;
  for (View value : items_at(expression, "values")) {
    for (View first : seen) {
      if (first.kind() != value.kind() || first->text != value->text) continue;
      context.refuse(value, shown(value->text) + " comes twice")
          .also(context.place(first), "the first one");
      break;
    }
    seen.push_back(value);
  }
}

/// What a term asks for, whatever the order is.
std::map<std::string_view, std::set<std::string_view>> topology_of(View term) {
  std::map<std::string_view, std::set<std::string_view>> result;
  for (View expression : items_at(term, "matchLabelExpressions")) {
    auto& values = result[string_at(expression, "key")];
    for (View value : items_at(expression, "values")) values.insert(value->text);
  }
  return result;
}

/// kubernetes/kubernetes pkg/apis/storage/validation/validation.go validateAllowedTopologies
void topologies(View object, CheckContext& context) {
  std::vector<View> terms;
  for (View term : items_at(object, "allowedTopologies")) {
    std::vector<View> keys;
    for (View expression : items_at(term, "matchLabelExpressions")) {
      topology_expression(expression, context);
      const View key = get(expression, "key");
      const auto first =
          std::ranges::find_if(keys, [&](View each) { return key && each->text == key->text; });
      if (first != keys.end()) {
        context.refuse(key, "a second expression about " + shown(key->text))
            .also(context.place(*first), "the first one");
      }
      if (key) keys.push_back(key);
    }
    const auto own = topology_of(term);
    if (own.empty()) {
      context.refuse(term, "a term without `matchLabelExpressions` says nothing");
      continue;
    }
    for (View first : terms) {
      if (topology_of(first) != own) continue;
      context.refuse(term, "a second term that says the same")
          .also(context.place(first), "the first one");
      break;
    }
    terms.push_back(term);
  }
}

/// What a driver is told, by words of its own.
void parameters(View object, CheckContext& context) {
  constexpr std::size_t most = 512;
  constexpr std::size_t most_bytes = std::size_t{256} * 1024;
  const View all = get(object, "parameters");
  if (!all || !all->is_map()) return;
  if (all->size > most) {
    context.refuse(all, std::to_string(all->size) + " parameters; at most 512 are allowed");
    return;
  }
  std::size_t bytes = 0;
  for (View each : Items(all)) {
    bytes += each.key().size() + each->text.size();
    if (each.key().empty()) context.refuse(each, "a parameter without a name");
  }
  if (bytes > most_bytes) {
    context.refuse(
        all, "the parameters have " + std::to_string(bytes) + " bytes; at most 262144 are allowed");
  }
}

void storage_class(View object, CheckContext& context) {
  constexpr auto reclaim = std::to_array<std::string_view>({"Delete", "Retain"});
  constexpr auto modes = std::to_array<std::string_view>({"Immediate", "WaitForFirstConsumer"});
  const View provisioner = get(object, "provisioner");
  require_text(object, "provisioner", context);
  context.name(provisioner, "provisioner", why_not_annotation_key);
  context.allow(get(object, "reclaimPolicy"), "reclaim policy", reclaim);
  const View mode = get(object, "volumeBindingMode");
  if (mode && mode.kind() == Kind::String && mode->text.empty()) {
    context.refuse(mode, "the binding mode is empty; leave it out for `Immediate`");
  }
  context.allow(mode, "volume binding mode", modes);
  parameters(object, context);
  topologies(object, context);
}

// ---- CSIDriver ------------------------------------------------------------------------------

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
    {.name = "storage-class",
     .group = CheckGroup::Platform,
     .opt_in = true,
     .on = "storage.k8s.io StorageClass",
     .sentence = "A StorageClass names its provisioner, and policies that exist.",
     .source = kStorage,
     .object = storage_class},
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
