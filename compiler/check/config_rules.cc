#include <array>
#include <string>

#include "check/check.h"
#include "check/read.h"
#include "check/tables.h"
#include "schema/names.h"
#include "schema/words.h"

namespace trainyard {
namespace {

constexpr std::string_view kConfigSource =
    "kubernetes/kubernetes pkg/apis/core/validation/validation.go ValidateConfigMap";
constexpr std::string_view kSecretSource =
    "kubernetes/kubernetes pkg/apis/core/validation/validation.go ValidateSecret";

/// Bytes that a base64 text stands for.
std::size_t decoded_size(std::string_view text) {
  std::size_t characters = 0;
  for (char c : text) {
    if (c != '\n' && c != '\r' && c != '=') ++characters;
  }
  return characters * 3 / 4;
}

void keys(View map, CheckContext& context) {
  if (!map || !map->is_map()) return;
  for (View entry : Items(map)) {
    if (const Fault fault = why_not_config_key(entry->key)) {
      context.refuse_key(entry, "key " + shown(entry->key) + " " + *fault);
    }
  }
}

void too_large(View at, std::size_t bytes, std::string_view what, CheckContext& context) {
  if (bytes <= kConfigMapBytes) return;
  context.refuse(at, "a " + std::string(what) + " holds at most " +
                         std::to_string(kConfigMapBytes) + " bytes, not " + std::to_string(bytes));
}

void config_map(View object, CheckContext& context) {
  const View data = get(object, "data");
  const View binary = get(object, "binaryData");
  keys(data, context);
  keys(binary, context);
  std::size_t bytes = 0;
  for (View entry : entries_at(object, "data")) {
    bytes += entry->text.size();
    if (const View other = get(binary, entry->key)) {
      context.refuse_key(other, "key " + shown(entry->key) + " stands in `data` already")
          .also(context.place(entry), "the one in `data`");
    }
  }
  for (View entry : entries_at(object, "binaryData")) bytes += decoded_size(entry->text);
  too_large(data ? data : binary, bytes, "ConfigMap", context);
}

void secret_data(View object, CheckContext& context) {
  const View data = get(object, "data");
  const View texts = get(object, "stringData");
  keys(data, context);
  keys(texts, context);
  std::size_t bytes = 0;
  for (View entry : entries_at(object, "stringData")) bytes += entry->text.size();
  for (View entry : entries_at(object, "data")) {
    if (!get(texts, entry->key)) bytes += decoded_size(entry->text);
  }
  too_large(data ? data : texts, bytes, "Secret", context);
}

struct SecretType {
  std::string_view type;
  std::string_view key;  // it must hold this
  bool or_next = false;  // or that of the next row
};
constexpr SecretType kTypes[] = {
    {"kubernetes.io/dockercfg", ".dockercfg"},
    {"kubernetes.io/dockerconfigjson", ".dockerconfigjson"},
    {"kubernetes.io/basic-auth", "username", true},
    {"kubernetes.io/basic-auth", "password"},
    {"kubernetes.io/ssh-auth", "ssh-privatekey"},
    {"kubernetes.io/tls", "tls.crt"},
    {"kubernetes.io/tls", "tls.key"},
};

bool holds(View object, std::string_view key) {
  return get(get(object, "data"), key) || get(get(object, "stringData"), key);
}

void secret_type(View object, CheckContext& context) {
  const View type = get(object, "type");
  const std::string_view text = string_of(type);
  for (std::size_t i = 0; i < std::size(kTypes); ++i) {
    const SecretType& row = kTypes[i];
    if (row.type != text) continue;
    if (row.or_next) {
      if (holds(object, row.key) || holds(object, kTypes[i + 1].key)) return;
      context.refuse(type, "a Secret of type " + shown(text) + " needs " + shown(row.key) + " or " +
                               shown(kTypes[i + 1].key));
      return;
    }
    if (holds(object, row.key)) continue;
    context.refuse(type, "a Secret of type " + shown(text) + " needs " + shown(row.key));
  }
  if (text != "kubernetes.io/service-account-token") return;
  const View annotations = get(get(object, "metadata"), "annotations");
  if (!string_at(annotations, "kubernetes.io/service-account.name").empty()) return;
  context.refuse(type,
                 "a token needs the annotation `kubernetes.io/service-account.name`: whose it "
                 "is");
}

constexpr Check kChecks[] = {
    {.name = "config-map",
     .on = "core ConfigMap",
     .sentence = "Keys of a ConfigMap can be file names, come once, and hold at most 1 MiB.",
     .source = kConfigSource,
     .object = config_map},
    {.name = "secret-data",
     .on = "core Secret",
     .sentence = "Keys of a Secret can be file names, and hold at most 1 MiB.",
     .source = kSecretSource,
     .object = secret_data},
    {.name = "secret-type",
     .on = "core Secret",
     .sentence = "A Secret of a known type holds the keys of that type.",
     .source = kSecretSource,
     .object = secret_type},
};

}  // namespace

constinit const std::span<const Check> config_checks = kChecks;

}  // namespace trainyard
