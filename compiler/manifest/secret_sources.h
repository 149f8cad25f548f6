#pragma once

#include <string_view>
#include <vector>

#include "manifest/inventory.h"
#include "tree/tree.h"

namespace trainyard {

/// A Secret that pods may refer to: written out, or made in the cluster by an object that holds no
/// value in clear text.
struct SecretSource {
  View object;  // that is the Secret, or makes it
  std::string_view name;
  std::string_view name_space;         // "" where the object names none
  std::vector<std::string_view> keys;  // those that are known
  bool is_complete = false;            // whether there are no others
};

/// Kinds that make Secrets and are safe to keep in Git, whether or not a schema describes them:
/// SealedSecret (bitnami-labs/sealed-secrets pkg/apis/sealedsecrets/v1alpha1/types.go),
/// ExternalSecret with its stores (external-secrets/external-secrets
/// apis/externalsecrets/v1/externalsecret_types.go), SecretProviderClass
/// (kubernetes-sigs/secrets-store-csi-driver apis/v1/secretproviderclass_types.go).
bool keeps_secrets_safe(std::string_view api_version, std::string_view kind);

/// Whether an object is one that SOPS has encrypted: its values cannot be checked, and its
/// field `sops` is taken away before it is applied (getsops/sops README.rst, "Encrypting only parts
/// of a file"; fluxcd/kustomize-controller internal/decryptor/decryptor.go).
bool is_encrypted_by_sops(View object);
/// A value that SOPS has encrypted.
bool is_encrypted_value(View value);

/// The names of the Secrets that an object is or makes.
std::vector<std::string_view> made_secrets(View object);
/// The Secrets of a name that the objects around a workload hold or make.
std::vector<SecretSource> secret_sources(const Inventory& inventory, std::string_view name);

// By which an Inventory gives out the objects that are or make Secrets.
inline constexpr std::string_view kSecretGroup = "made";
inline constexpr std::string_view kSecretKind = "Secret";

}  // namespace trainyard
