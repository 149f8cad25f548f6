#include "manifest/secret_sources.h"

#include <algorithm>
#include <array>

#include "manifest/pod_templates.h"
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

SecretSource source_of(View object) {
  SecretSource source;
  source.object = object;
  source.name = string_at(get(object, "metadata"), "name");
  source.name_space = string_at(get(object, "metadata"), "namespace");
  return source;
}

void add_secrets(const Inventory& inventory, std::vector<SecretSource>& found) {
  for (View object : inventory.all("", "Secret")) {
    SecretSource source = source_of(object);
    add_entries(get(object, "data"), source.keys);
    add_entries(get(object, "stringData"), source.keys);
    // A token is put into one of this type when it is there.
    source.is_complete = string_at(object, "type") != "kubernetes.io/service-account-token";
    found.push_back(std::move(source));
  }
}

void add_sealed(const Inventory& inventory, std::vector<SecretSource>& found) {
  for (View object : inventory.all("bitnami.com", "SealedSecret")) {
    SecretSource source = source_of(object);
    const View spec = get(object, "spec");
    add_entries(get(spec, "encryptedData"), source.keys);
    add_entries(get(get(spec, "template"), "data"), source.keys);
    source.is_complete = !get(spec, "data");  // all in one, of an old release
    found.push_back(std::move(source));
  }
}

void add_external(const Inventory& inventory, std::vector<SecretSource>& found) {
  for (View object : inventory.all("external-secrets.io", "ExternalSecret")) {
    SecretSource source = source_of(object);
    const View spec = get(object, "spec");
    const View target = get(spec, "target");
    if (const View name = get(target, "name")) source.name = string_of(name);
    for (View item : items_at(spec, "data")) {
      source.keys.push_back(string_at(item, "secretKey"));
    }
    source.is_complete = !has_items(get(spec, "dataFrom")) && !get(target, "template");
    found.push_back(std::move(source));
  }
}

void add_provided(const Inventory& inventory, std::vector<SecretSource>& found) {
  for (View object : inventory.all("secrets-store.csi.x-k8s.io", "SecretProviderClass")) {
    for (View each : items_at(get(object, "spec"), "secretObjects")) {
      SecretSource source = source_of(object);
      source.name = string_at(each, "secretName");
      for (View item : items_at(each, "data")) {
        source.keys.push_back(string_at(item, "key"));
      }
      source.is_complete = true;
      found.push_back(std::move(source));
    }
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

std::vector<SecretSource> secret_sources(const Inventory& inventory) {
  std::vector<SecretSource> found;
  add_secrets(inventory, found);
  add_sealed(inventory, found);
  add_external(inventory, found);
  add_provided(inventory, found);
  return found;
}

}  // namespace trainyard
