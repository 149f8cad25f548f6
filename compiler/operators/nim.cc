#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "admission/immutable_fields.h"
#include "admission/name_checks.h"
#include "check/check.h"
#include "diag/words.h"
#include "manifest/field_words.h"
#include "operators/tables.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kServiceSource =
    "NVIDIA/k8s-nim-operator internal/webhook/apps/v1alpha1/"
    "nimservice_webhook_validation_helper.go";
constexpr std::string_view kCacheSource =
    "NVIDIA/k8s-nim-operator internal/webhook/apps/v1alpha1/nimcache_webhook_validation_helper.go";
constexpr OperatorSpan kNim{.name = "nim-operator", .since = "2.0"};

/// Goes into the container as it is, and what is made of it is refused.
/// NVIDIA/k8s-nim-operator api/apps/v1alpha1/nimservice_types.go GetImagePullPolicy
void pull_policy(View image, CheckContext& context) {
  context.allow(get(image, "pullPolicy"), "pull policy", kPullPolicies);
}

void basics(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  const View image = get(spec, "image");
  for (std::string_view key : {"repository", "tag"}) {
    const View text = get(image, key);
    if (text && text.kind() == Kind::String && text->text.empty()) {
      context.refuse(text, "the image needs " + shown(key));
    } else if (image && image->is_map() && !text && !context.is_flagged(image)) {
      context.refuse(image, "the image needs " + shown(key));
    }
  }
  pull_policy(image, context);
  const View secret = get(spec, "authSecret");
  if (secret && secret.kind() == Kind::String && secret->text.empty()) {
    context.refuse(secret, "`authSecret` names the Secret with the key of NGC, and is empty");
  }
}

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
  if (around != nullptr && around->has_any("apps.nvidia.com", "NIMCache") &&
      !around->has("apps.nvidia.com", "NIMCache", string_at(get(object, "metadata"), "namespace"),
                   name->text)) {
    context.warn(name, "there is no NIMCache " + shown(name->text) +
                           " in the namespace of the service among those that are given");
  }
  claim(get(own, "pvc"), context);
}

void exposure(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  const View router = get(get(spec, "expose"), "router");
  const View gateway = get(router, "gateway");
  if ((get(router, "ingress") || gateway) && string_at(router, "hostDomainName").empty()) {
    context.refuse(router, "a router with an ingress or a gateway needs `hostDomainName`");
  }
  const View service = get(get(spec, "expose"), "service");
  if (is_true(get(gateway, "grpcRoutesEnabled")) && !get(service, "grpcPort")) {
    context.refuse(get(gateway, "grpcRoutesEnabled"),
                   "routes of gRPC need "
                   "`expose.service.grpcPort`");
  }
  const View metrics = get(spec, "metrics");
  if (is_true(get(metrics, "enabled")) && !has_items(get(metrics, "serviceMonitor"))) {
    context.refuse(get(metrics, "enabled"), "metrics need `serviceMonitor`");
  }
  const View scale = get(spec, "scale");
  if (is_true(get(scale, "enabled")) && !has_items(get(scale, "hpa"))) {
    context.refuse(get(scale, "enabled"), "a service that scales needs `hpa`");
  }
  if (const View claims = get(get(spec, "resources"), "claims")) {
    context.refuse_key(claims, "resource claims belong into `draResources`");
  }
}

void kserve(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  if (string_at(spec, "inferencePlatform") != "kserve") return;
  if (const View nodes = get(spec, "multiNode")) {
    context.refuse_key(nodes, "KServe has no service on several nodes");
  }
  std::string mode(string_at(get(spec, "annotations"), "serving.kserve.io/deploymentMode"));
  if (mode.empty()) mode = string_at(get(spec, "annotations"), "serving.kserve.org/deploymentMode");
  for (char& c : mode) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  if (!mode.empty() && mode != "serverless" && mode != "knative") return;
  const View expose = get(spec, "expose");
  const View router = get(expose, "router");
  const auto refuse = [&](View at, std::string_view what) {
    if (!at) return;
    context.refuse(at, "KServe without servers of its own (Knative) takes no " + std::string(what));
  };
  const auto when_on = [&](View switched) { return is_true(switched) ? switched : View(); };
  refuse(when_on(get(get(spec, "scale"), "enabled")), "`scale`");
  refuse(when_on(get(get(expose, "ingress"), "enabled")), "`expose.ingress`");
  refuse(get(router, "ingress"), "`expose.router.ingress`");
  refuse(get(router, "gateway"), "`expose.router.gateway`");
  refuse(when_on(get(get(spec, "metrics"), "enabled")), "`metrics`");
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
    if (!string_of(text).empty() || context.is_flagged(device)) continue;
    context.refuse(text ? text : device, "a device needs " + shown(key));
  }
  const View count = get(device, "count");
  if (integer_of(count).value_or(1) <= 0) context.refuse(count, "`count` must be above 0");
  const std::string driver(string_at(device, "driverName"));
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

void cache(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  const View ngc = get(get(spec, "source"), "ngc");
  for (std::string_view key : {"authSecret", "modelPuller"}) {
    const View text = get(ngc, key);
    if (text && text.kind() == Kind::String && text->text.empty()) {
      context.refuse(text, shown(key) + " is empty");
    }
  }
  const View model = get(ngc, "model");
  const View profiles = get(model, "profiles");
  if (has_items(profiles)) {
    for (View profile : Items(profiles)) {
      if (string_of(profile) != "all" || profiles->size == 1) continue;
      context.refuse(profile, "`all` stands for every profile, so no other goes with it");
    }
    for (std::string_view key :
         {"precision", "engine", "tensorParallelism", "qosProfile", "gpus", "lora", "buildable"}) {
      const View other = get(model, key);
      if (!other || (other.kind() == Kind::String && other->text.empty())) continue;
      context.refuse_key(other, "`profiles` say it all: leave " + shown(key) + " out")
          .also(context.place(profiles), "the profiles");
    }
  }
  constexpr auto qualities = std::to_array<std::string_view>({"latency", "throughput"});
  context.allow(get(model, "qosProfile"), "profile of quality", qualities);
  const View own = get(spec, "storage");
  const View pvc = get(own, "pvc");
  if (own && own->is_map() && !has_items(pvc)) {
    context.refuse(own, "a NIMCache keeps its models in a claim: `pvc` is missing or empty");
  }
  claim(pvc, context);
}

void proxy(View object, CheckContext& context) {
  const View own = get(get(object, "spec"), "proxy");
  for (std::string_view key : {"httpProxy", "httpsProxy"}) {
    const View address = get(own, key);
    const std::string_view text = string_of(address);
    if (text.empty() || text.starts_with("http://") || text.starts_with("https://")) continue;
    context.refuse(address, shown(key) + " is " + shown(text) +
                                "; expected an address that begins with `http://` or `https://`");
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
    context.refuse(at, "`multiNode` of a service that is there cannot be changed");
  } else if (get(old, "multiNode") && !get(spec, "multiNode")) {
    context.refuse(spec, "`multiNode` of a service that is there cannot be taken away");
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

/// A name, an address or a network; the lists of proxies know nothing else.
bool is_proxy_token(std::string_view token) {
  static const RE2 kForms(
      R"(\.?[a-zA-Z0-9.-]+|(\d{1,3}\.){3}\d{1,3}(:\d+)?|\[[0-9a-fA-F:]+\](:\d+)?|)"
      R"((\d{1,3}\.){3}\d{1,3}/\d{1,2}|\[[0-9a-fA-F:]+\]/\d{1,3})");
  return RE2::FullMatch(std::string(token), kForms);
}

void no_proxy(View object, CheckContext& context) {
  const View list = get(get(get(object, "spec"), "proxy"), "noProxy");
  std::string_view left = string_of(list);
  while (!left.empty()) {
    const std::size_t comma = left.find(',');
    std::string_view token = left.substr(0, comma);
    left = comma == std::string_view::npos ? std::string_view() : left.substr(comma + 1);
    while (token.starts_with(' ') || token.starts_with('\t')) token.remove_prefix(1);
    while (token.ends_with(' ') || token.ends_with('\t')) token.remove_suffix(1);
    if (token.empty() || is_proxy_token(token)) continue;
    context.refuse(list, "`noProxy` has " + shown(token) +
                             "; expected names, addresses and networks, such as "
                             "`.example.com,10.0.0.0/8`");
    return;
  }
}

constexpr Check kChecks[] = {
    {.name = "nim-image",
     .group = CheckGroup::Serving,
     .on = "apps.nvidia.com NIMService",
     .sentence = "A NIMService has an image with repository and tag, and a Secret.",
     .source = kServiceSource,
     .object = basics,
     .operators = kNim},
    {.name = "nim-storage",
     .group = CheckGroup::Serving,
     .on = "apps.nvidia.com NIMService",
     .sentence = "A NIMService keeps its models in exactly one place.",
     .source = kServiceSource,
     .object = storage,
     .operators = kNim},
    {.name = "nim-exposure",
     .group = CheckGroup::Serving,
     .on = "apps.nvidia.com NIMService",
     .sentence = "Routers, metrics and scaling of a NIMService have what they need.",
     .source = kServiceSource,
     .object = exposure,
     .operators = {.name = "nim-operator", .since = "3.0"}},
    {.name = "nim-kserve",
     .group = CheckGroup::Serving,
     .on = "apps.nvidia.com NIMService",
     .sentence = "Under KServe a NIMService leaves to it what it does itself.",
     .source = kServiceSource,
     .object = kserve,
     .operators = {.name = "nim-operator", .since = "3.0"}},
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
     .sentence = "A NIMService that is there keeps its nodes for each copy and the claim it made.",
     .source = kServiceSource,
     .object = update,
     .operators = {.name = "nim-operator", .since = "3.0"}},
    {.name = "nim-cache",
     .group = CheckGroup::Serving,
     .on = "apps.nvidia.com NIMCache",
     .sentence = "A NIMCache says which models it keeps, in one way, and in which claim.",
     .source = kCacheSource,
     .object = cache,
     .operators = kNim},
    {.name = "nim-proxy",
     .group = CheckGroup::Serving,
     .on = "apps.nvidia.com NIMCache NIMService",
     .sentence = "A proxy is an address of HTTP or HTTPS.",
     .source = kCacheSource,
     .object = proxy,
     .operators = kNim},
    {.name = "nim-no-proxy",
     .group = CheckGroup::Serving,
     .on = "apps.nvidia.com NIMCache NIMService",
     .sentence = "What goes by no proxy is a name, an address or a network.",
     .source = kCacheSource,
     .object = no_proxy,
     .operators = kNim},
};

}  // namespace

constinit const std::span<const Check> nim_checks = kChecks;

}  // namespace trainyard
