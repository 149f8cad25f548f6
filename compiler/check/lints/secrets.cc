// Secrets in Git, and what pods want of Secrets.

#include <algorithm>
#include <string>
#include <vector>

#include "check/check.h"
#include "check/read.h"
#include "check/secret_sources.h"
#include "check/slips.h"
#include "check/tables.h"
#include "diag/suggest.h"
#include "schema/words.h"

namespace trainyard {
namespace {

/// Whether it is worth hiding: a placeholder in brackets or a variable is not.
bool is_value(View value) {
  const std::string_view text = value->text;
  if (!value->is_scalar() || value->kind == Kind::Null || text.empty()) return false;
  return !text.starts_with('<') && !text.starts_with('$') && !text.starts_with("{{");
}

void in_clear_text(View object, CheckContext& context) {
  View first;
  std::vector<View> values;
  for (std::string_view field : {"data", "stringData"}) {
    for (View value : entries_at(object, field)) {
      if (is_encrypted_value(value) || !is_value(value)) continue;
      if (!first) first = get(object, field);
      values.push_back(value);
    }
  }
  if (values.empty()) return;
  Diagnostic& report = context.lint(
      values.front(), values.size() == 1 ? "a value of this Secret stands here for all to read"
                                         : std::to_string(values.size()) +
                                               " values of this Secret stand here for all to read");
  for (View value : values) report.redact(context.place(value));
}

/// A key of a Secret or a ConfigMap that a pod cannot do without.
struct WantedKey {
  View name;
  View key;
};

/// How pods refer to a kind of object that holds values by key.
struct KeyHolder {
  std::string_view key_ref;      // in `valueFrom`
  std::string_view from_ref;     // in `envFrom`
  std::string_view volume;       // in a volume, and in a source of a projected one
  std::string_view volume_name;  // the name in a volume
};
constexpr KeyHolder kSecrets = {"secretKeyRef", "secretRef", "secret", "secretName"};
constexpr KeyHolder kConfigMaps = {"configMapKeyRef", "configMapRef", "configMap", "name"};

bool is_optional(View reference) {
  return is_true(get(reference, "optional"));
}

void add_items(View source, View name, std::vector<WantedKey>& wanted) {
  if (is_optional(source)) return;
  bool any = false;
  for (View item : items_at(source, "items")) {
    wanted.push_back({name, get(item, "key")});
    any = true;
  }
  if (!any) wanted.push_back({name, {}});
}

std::vector<WantedKey> wanted_keys(const Pod& pod, const KeyHolder& holder) {
  std::vector<WantedKey> wanted;
  for (const PodContainer& container : pod.containers) {
    for (View variable : items_at(container.node, "env")) {
      const View reference = get(get(variable, "valueFrom"), holder.key_ref);
      if (!reference || is_optional(reference)) continue;
      wanted.push_back({get(reference, "name"), get(reference, "key")});
    }
    for (View source : items_at(container.node, "envFrom")) {
      const View reference = get(source, holder.from_ref);
      if (reference && !is_optional(reference)) wanted.push_back({get(reference, "name"), {}});
    }
  }
  for (View volume : items_at(pod.spec, "volumes")) {
    if (const View own = get(volume, holder.volume)) {
      add_items(own, get(own, holder.volume_name), wanted);
    }
    for (View source : items_at(get(volume, "projected"), "sources")) {
      if (const View own = get(source, holder.volume)) add_items(own, get(own, "name"), wanted);
    }
  }
  std::erase_if(wanted, [](const WantedKey& each) { return string_of(each.name).empty(); });
  return wanted;
}

bool is_here(const SecretSource& source, std::string_view name_space) {
  return source.name_space.empty() || name_space.empty() || source.name_space == name_space;
}

/// The Secrets around are all that there are of this name, and none has the key.
void check_key(const std::vector<SecretSource>& sources, const WantedKey& wanted,
               CheckContext& context) {
  const std::string_view key = string_of(wanted.key);
  if (key.empty()) return;
  std::vector<std::string> known;
  for (const SecretSource& source : sources) {
    if (!source.is_complete) return;
    known.insert(known.end(), source.keys.begin(), source.keys.end());
  }
  if (std::ranges::find(known, key) != known.end()) return;
  context
      .lint(wanted.key, "Secret " + shown(string_of(wanted.name)) + " has no key " + shown(key) +
                            (known.empty() ? std::string() : ", it has " + listed(known, "and")))
      .also(context.place(sources.front().object), "the Secret, or what makes it");
}

/// Others may make the Secret; a name that is nearly that of one here is very likely a slip.
void check_name(const std::vector<std::string_view>& names, const WantedKey& wanted,
                CheckContext& context) {
  const auto near = suggest(string_of(wanted.name), names);
  if (!near) return;
  context.lint(wanted.name,
               "no Secret " + shown(string_of(wanted.name)) + " is among the inputs, but " +
                   shown(*near) + " is",
               Severity::Warning);
}

void wanted_secrets(const Pod& pod, CheckContext& context) {
  const std::vector<WantedKey> wanted = wanted_keys(pod, kSecrets);
  if (wanted.empty()) return;
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return;
  const std::string_view name_space = string_at(get(context.object(), "metadata"), "namespace");
  std::vector<SecretSource> all = secret_sources(*inventory);
  std::erase_if(all, [&](const SecretSource& each) { return !is_here(each, name_space); });
  std::vector<std::string_view> names;
  for (const SecretSource& each : all) names.push_back(each.name);
  for (const WantedKey& each : wanted) {
    std::vector<SecretSource> named;
    std::ranges::copy_if(all, std::back_inserter(named), [&](const SecretSource& source) {
      return source.name == string_of(each.name);
    });
    named.empty() ? check_name(names, each, context) : check_key(named, each, context);
  }
}

/// All ConfigMaps of this name among the inputs count: layers of a kustomization have one each.
void wanted_config_maps(const Pod& pod, CheckContext& context) {
  const std::vector<WantedKey> wanted = wanted_keys(pod, kConfigMaps);
  const Inventory* inventory = wanted.empty() ? nullptr : context.inventory();
  if (inventory == nullptr) return;
  const std::string_view name_space = string_at(get(context.object(), "metadata"), "namespace");
  const std::vector<View> all = inventory->all("", "ConfigMap");
  for (const WantedKey& each : wanted) {
    if (const View near =
            near_object(*inventory, "", "ConfigMap", name_space, string_of(each.name))) {
      const View name = get(get(near, "metadata"), "name");
      context
          .lint(each.name,
                "no ConfigMap " + shown(string_of(each.name)) + " is among the inputs, but " +
                    shown(name->text) + " is",
                Severity::Warning)
          .also(context.place(name), "this one");
      continue;
    }
    const std::string_view key = string_of(each.key);
    if (key.empty()) continue;
    View found;
    bool there = false;
    std::vector<std::string_view> known;
    for (View object : all) {
      const View metadata = get(object, "metadata");
      const std::string_view its = string_at(metadata, "namespace");
      if (string_at(metadata, "name") != string_of(each.name)) continue;
      if (!its.empty() && !name_space.empty() && its != name_space) continue;
      found = object;
      for (std::string_view field : {"data", "binaryData"}) {
        for (View entry : entries_at(object, field)) known.push_back(entry->key);
        there = there || get(get(object, field), key);
      }
    }
    if (!found || there) continue;
    const std::vector<std::string> names(known.begin(), known.end());
    context
        .lint(each.key, "ConfigMap " + shown(string_of(each.name)) + " has no key " + shown(key) +
                            (names.empty() ? std::string() : ", it has " + listed(names, "and")))
        .also(context.place(found), "the ConfigMap");
  }
}

constexpr Check kChecks[] = {
    {.name = "config-map-key",
     .on = "pod",
     .sentence = "ConfigMaps among the inputs have the names and keys that pods want of them.",
     .source = "kubernetes/kubernetes pkg/kubelet/kubelet_pods.go makeEnvironmentVariables; "
               "pkg/volume/configmap/configmap.go MakePayload",
     .pod = wanted_config_maps,
     .severity = Severity::Error,
     .because = "The kubelet does not start a container without the keys that it refers to: the "
                "gang waits for it.",
     .fix = "name a key that is there, or mark the reference `optional`"},
    {.name = "secret-in-clear-text",
     .on = "core Secret",
     .sentence = "Secrets among manifests have no values, or encrypted ones.",
     .source = "kubernetes/website content/en/docs/concepts/configuration/secret.md: base64 is no "
               "encryption",
     .object = in_clear_text,
     .severity = Severity::Warning,
     .because = "Manifests are kept in Git, for whoever may read the repository, and for good.",
     .fix = "encrypt the file with SOPS, or put a SealedSecret or an ExternalSecret in its place; "
            "what was shared should be revoked"},
    {.name = "secret-key",
     .on = "pod",
     .sentence = "Secrets among the inputs, or made by them, have the keys that pods want of them.",
     .source = "kubernetes/kubernetes pkg/kubelet/kubelet_pods.go makeEnvironmentVariables; "
               "pkg/volume/secret/secret.go MakePayload",
     .pod = wanted_secrets,
     .severity = Severity::Error,
     .because = "The kubelet does not start a container without the keys that it refers to: the "
                "gang waits for it.",
     .fix = "name a key that is there, or mark the reference `optional`"},
};

}  // namespace

const std::span<const Check> secret_lints = kChecks;

}  // namespace trainyard
