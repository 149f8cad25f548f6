#include "manifest/secret_sources.h"

#include <algorithm>
#include <array>

#include "manifest/metadata.h"
#include "manifest/pod_templates.h"
#include "source/text_parts.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

struct SafeKind {
  std::string_view group;
  std::string_view kind;
};
constexpr auto kSafeKinds = std::to_array<SafeKind>({
    {"bitnami.com", "SealedSecret"},
    {"external-secrets.io", "ClusterExternalSecret"},
    {"external-secrets.io", "ClusterSecretStore"},
    {"external-secrets.io", "ExternalSecret"},
    {"external-secrets.io", "PushSecret"},
    {"external-secrets.io", "SecretStore"},
    {"secrets-store.csi.x-k8s.io", "SecretProviderClass"},
});

void add_entries(View map, std::vector<std::string_view>& keys) {
  if (!map || !map->is_map()) return;
  for (View entry : Items(map)) keys.push_back(entry.key());
}

void add_keys(View object, std::string_view name, SecretSource& source) {
  const View spec = get(object, "spec");
  const std::string_view kind = string_at(object, "kind");
  if (kind == "Secret") {
    add_entries(get(object, "data"), source.keys);
    add_entries(get(object, "stringData"), source.keys);
    // A token is put into one of this type when it is there.
    source.is_complete = string_at(object, "type") != "kubernetes.io/service-account-token";
  } else if (kind == "SealedSecret") {
    add_entries(get(spec, "encryptedData"), source.keys);
    add_entries(get(get(spec, "template"), "data"), source.keys);
    source.is_complete = !get(spec, "data");  // all in one, of an old release
  } else if (kind == "ExternalSecret") {
    for (View item : items_at(spec, "data")) source.keys.push_back(string_at(item, "secretKey"));
    source.is_complete = !has_items(get(spec, "dataFrom")) && !get(get(spec, "target"), "template");
  } else {
    for (View each : items_at(spec, "secretObjects")) {
      if (string_at(each, "secretName") != name) continue;
      for (View item : items_at(each, "data")) source.keys.push_back(string_at(item, "key"));
    }
    source.is_complete = true;
  }
}

}  // namespace

bool keeps_secrets_safe(std::string_view api_version, std::string_view kind) {
  return std::ranges::any_of(kSafeKinds, [&](const SafeKind& each) {
    return each.kind == kind && each.group == group_of(api_version);
  });
}

bool is_encrypted_by_sops(View object) {
  const View sops = object->is_map() ? get(object, "sops") : View();
  return sops && sops->is_map() && get(sops, "mac") && get(sops, "version");
}

bool is_encrypted_value(View value) {
  return value && value->is_scalar() && value->text.starts_with("ENC[") &&
         value->text.ends_with("]");
}

std::vector<std::string_view> made_secrets(View object) {
  const std::string_view kind = string_at(object, "kind");
  if (!contains(kind, "Secret")) return {};
  const std::string_view group = group_of(string_at(object, "apiVersion"));
  const std::string_view own = string_of(metadata_name(object));
  const View spec = get(object, "spec");
  if (group.empty() && kind == "Secret") return {own};
  if (group == "bitnami.com" && kind == "SealedSecret") return {own};
  if (group == "external-secrets.io" && kind == "ExternalSecret") {
    const View name = get(get(spec, "target"), "name");
    return {name ? string_of(name) : own};
  }
  std::vector<std::string_view> names;
  if (group == "secrets-store.csi.x-k8s.io" && kind == "SecretProviderClass") {
    for (View each : items_at(spec, "secretObjects")) {
      names.push_back(string_at(each, "secretName"));
    }
  }
  return names;
}

std::vector<SecretSource> secret_sources(const Inventory& inventory, std::string_view name) {
  std::vector<SecretSource> found;
  for (View object : inventory.named(kSecretGroup, kSecretKind, name)) {
    found.push_back({object, name, metadata_namespace(object), {}, false});
    add_keys(object, name, found.back());
  }
  return found;
}

}  // namespace trainyard
