#include <re2/re2.h>

#include <array>
#include <cstdint>
#include <set>
#include <string>

#include "admission/immutable_fields.h"
#include "check/check.h"
#include "check/missing_objects.h"
#include "diag/words.h"
#include "operators/tables.h"
#include "shell/command_line.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kServiceSource =
    "NVIDIA/k8s-nim-operator internal/webhook/apps/v1alpha1/"
    "nimservice_webhook_validation_helper.go";
constexpr OperatorSpan kNim{.name = "nim-operator", .since = "2.0"};

/// An empty claim is no claim.
void claim(View pvc, CheckContext& context) {
  if (!has_items(pvc)) return;
  if (!is_true(get(pvc, "create")) && string_at(pvc, "name").empty()) {
    context.refuse(pvc, "a claim needs its `name`, or `create: true`");
  }
  constexpr auto modes = std::to_array<std::string_view>(
      {"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"});
  context.allow(get(pvc, "volumeAccessMode"), "access mode", modes);
}

/// Pull request 574: the pods of one copy, on several nodes, mount the claim of the cache.
void cache_of_nodes(View object, View name, const Inventory& around, CheckContext& context) {
  const View parallel = get(get(get(object, "spec"), "multiNode"), "parallelism");
  if (integer_at(parallel, "pipeline").value_or(1) < 2) return;
  const View cache = around.find("apps.nvidia.com", "NIMCache",
                                 string_at(get(object, "metadata"), "namespace"), name->text);
  const View claim = get(get(get(cache, "spec"), "storage"), "pvc");
  const View mode = get(claim, "volumeAccessMode");
  if (!string_of(mode).starts_with("ReadWriteOnce")) return;
  context
      .warn(name, "the claim of NIMCache " + shown(name->text) +
                      " is for one node, and the pods of one copy are on several")
      .also(context.place(mode), "expected `ReadWriteMany`");
}

/// internal/controller/platform/standalone/nimcache.go, nimservice.go: the key of the Secret.
void key_of_secret(View name, View object, CheckContext& context) {
  constexpr std::string_view kKey = "NGC_API_KEY";
  const Inventory* around = string_of(name).empty() ? nullptr : context.inventory();
  if (around == nullptr) return;
  const View secret =
      around->find("", "Secret", string_at(get(object, "metadata"), "namespace"), name->text);
  const View data = get(secret, "data");
  const View texts = get(secret, "stringData");
  if (!has_items(data) && !has_items(texts)) return;
  if (get(data, kKey) || get(texts, kKey)) return;
  context.warn(name, "Secret " + shown(name->text) + " has no key `NGC_API_KEY`")
      .also(context.place(get(get(secret, "metadata"), "name")), "the Secret");
}

/// A cache of engines for more GPUs than a pod of the service has.
void gpus_of_cache(View object, View name, const Inventory& around, CheckContext& context) {
  const View spec = get(object, "spec");
  const View cache = around.find("apps.nvidia.com", "NIMCache",
                                 string_at(get(object, "metadata"), "namespace"), name->text);
  const View model = get(get(get(get(cache, "spec"), "source"), "ngc"), "model");
  const View parallel = get(model, "tensorParallelism");
  const std::int64_t wanted = plain_number(string_of(parallel)).value_or(0);
  const View gpus = get(get(get(spec, "resources"), "limits"), "nvidia.com/gpu");
  const auto there = integer_of(gpus);
  if (!there || get(spec, "multiNode") || wanted <= *there) return;
  context
      .warn(gpus, "the pods have " + std::to_string(*there) + " GPUs, and NIMCache " +
                      shown(name->text) + " holds engines for " + std::to_string(wanted))
      .also(context.place(parallel), "the engines");
}

void storage(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  const View own = get(spec, "storage");
  const View size = get(own, "sharedMemorySizeLimit");
  const auto amount =
      size && size->is_scalar() ? Quantity::parse(size->text) : std::optional<Quantity>();
  if (amount && (amount->is_zero() || amount->is_negative())) {
    context.refuse(size, "`sharedMemorySizeLimit` must be above 0");
  }
  View first;
  for (std::string_view key : {"nimCache", "pvc", "emptyDir", "hostPath"}) {
    const View source = get(own, key);
    const bool given = key == "emptyDir"   ? static_cast<bool>(source)
                       : key == "hostPath" ? !string_of(source).empty()
                                           : has_items(source);
    if (!given) continue;
    if (first) {
      context
          .refuse_key(source, "a NIMService keeps its models in one place: " + shown(first.key()) +
                                  " or " + shown(key))
          .also(context.place(first), "the other one");
    }
    first = first ? first : source;
  }
  if (!first && spec && spec->is_map() && (!own || own->is_map())) {
    context.refuse(own ? own : spec,
                   "a NIMService needs one of `nimCache`, `pvc`, `emptyDir` and "
                   "`hostPath` in `storage`");
  }
  const View cache = get(own, "nimCache");
  if (!string_at(cache, "profile").empty() && string_at(cache, "name").empty()) {
    context.refuse(cache, "`nimCache` needs the `name` of a NIMCache");
  }
  const View name = get(cache, "name");
  const Inventory* around = string_of(name).empty() ? nullptr : context.inventory();
  if (const MissingObject missing = missing_object("apps.nvidia.com", "NIMCache",
                                                   string_at(get(object, "metadata"), "namespace"),
                                                   name, string_of(name), context)) {
    missing.label(
        context.warn(name, "there is no NIMCache " + shown(name->text) +
                               " in the namespace of the service among those that are given"),
        context);
  }
  claim(get(own, "pvc"), context);
  key_of_secret(get(spec, "authSecret"), object, context);
  if (around == nullptr) return;
  cache_of_nodes(object, name, *around, context);
  gpus_of_cache(object, name, *around, context);
}
/// semver.org, as blang/semver reads it.
bool is_semantic_version(std::string_view text) {
  static const RE2 kForm(
      R"((0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*))"
      R"((-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?)"
      R"((\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?)");
  return RE2::FullMatch(std::string(text), kForm);
}

void one_device(View device, CheckContext& context) {
  for (std::string_view key : {"name", "deviceClassName", "driverName"}) {
    const View text = get(device, key);
    const bool has_default = key != "name";  // by the CRD
    if (!string_of(text).empty() || context.is_flagged(device) || (has_default && !text)) continue;
    context.refuse(text ? text : device, "a device needs " + shown(key));
  }
  const View count = get(device, "count");
  if (integer_of(count).value_or(1) <= 0) context.refuse(count, "`count` must be above 0");
  const View stated = get(device, "driverName");
  const std::string driver(stated ? string_of(stated) : "gpu.nvidia.com");
  std::set<std::string> seen;
  for (std::string_view list : {"attributeSelectors", "capacitySelectors"}) {
    for (View selector : items_at(device, list)) {
      const View key = get(selector, "key");
      std::string name(string_of(key));
      if (name.find('/') == std::string::npos) name = driver + "/" + name;
      if (key && !seen.insert(name).second) {
        context.refuse(key, "there is a selector for " + shown(name) + " already");
      }
      if (list != "attributeSelectors") continue;
      int values = 0;
      const View value = get(selector, "value");
      for (std::string_view kind : {"boolValue", "intValue", "stringValue", "versionValue"}) {
        values += get(value, kind) ? 1 : 0;
      }
      if (values != 1) {
        context.refuse(value ? value : selector,
                       "an attribute has exactly one of `boolValue`, `intValue`, `stringValue` "
                       "and `versionValue`");
      }
      const View version = get(value, "versionValue");
      if (version && version.kind() == Kind::String && !is_semantic_version(version->text)) {
        context.refuse(version, shown(version->text) +
                                    " is no semantic version; expected one such as `12.4.0`");
      }
    }
  }
}

void devices(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  std::set<std::string_view> seen;
  for (View resource : items_at(spec, "draResources")) {
    const View name = get(resource, "resourceClaimName");
    if (!string_of(name).empty()) {
      const bool scales = is_true(get(get(spec, "scale"), "enabled"));
      if (scales || integer_at(spec, "replicas").value_or(1) > 1) {
        context.refuse(name,
                       "several pods cannot have the same claim; expected "
                       "`resourceClaimTemplateName`");
      }
      if (!seen.insert(name->text).second) {
        context.refuse(name, "the claim " + shown(name->text) + " comes twice");
      }
    }
    const View creation = get(resource, "claimCreationSpec");
    const View list = get(creation, "devices");
    if (list && list->is_seq() && list->size == 0) {
      context.refuse(list, "a claim to make needs one device at least");
    }
    for (View device : items_at(creation, "devices")) one_device(device, context);
  }
}

constexpr std::string_view kDefaults[] = {"backendType", "mpiStartTimeout", "rayPort"};
constexpr ImmutabilityRules kNodesOfCopy{{}, kDefaults};
constexpr ImmutabilityRules kWholeClaim{};

/// The operator neither makes pods of a running service anew on other nodes nor changes a claim.
void update(View object, CheckContext& context) {
  const View old = get(context.old(), "spec");
  if (!old) return;
  const View spec = get(object, "spec");
  if (const View at = changed(get(old, "multiNode"), get(spec, "multiNode"), kNodesOfCopy)) {
    context.refuse(at, "`multiNode` of an existing service cannot be changed");
  } else if (get(old, "multiNode") && !get(spec, "multiNode")) {
    context.refuse(spec, "`multiNode` of an existing service cannot be removed");
  }
  const View before = get(get(old, "storage"), "pvc");
  if (!is_true(get(before, "create"))) return;
  const View storage = get(spec, "storage");
  const View claim = get(storage, "pvc");
  if (const View at = changed(before, claim, kWholeClaim)) {
    context.refuse(at, "a claim that the operator has made cannot be changed");
  } else if (!claim) {
    context.refuse(storage ? storage : spec,
                   "a claim that the operator has made cannot be taken away");
  }
}
constexpr Check kChecks[] = {
    {.name = "nim-storage",
     .group = CheckGroup::Serving,
     .on = "apps.nvidia.com NIMService",
     .sentence = "A NIMService keeps its models in exactly one place.",
     .source = kServiceSource,
     .object = storage,
     .operators = kNim},
    {.name = "nim-devices",
     .group = CheckGroup::Serving,
     .on = "apps.nvidia.com NIMService",
     .sentence = "Devices of a NIMService are claimed once, and claims to make are complete.",
     .source = kServiceSource,
     .object = devices,
     .operators = {.name = "nim-operator", .since = "3.0"}},
    {.name = "nim-update",
     .group = CheckGroup::Serving,
     .on = "apps.nvidia.com NIMService",
     .sentence = "An existing NIMService keeps its nodes for each copy and the claim it made.",
     .source = kServiceSource,
     .object = update,
     .operators = {.name = "nim-operator", .since = "3.0"}},
};

}  // namespace

constinit const std::span<const Check> nim_checks = kChecks;

}  // namespace trainyard
