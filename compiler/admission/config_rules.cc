#include <cstdint>
#include <string>
#include <utility>

#include "admission/config_files.h"
#include "admission/tables.h"
#include "check/check.h"
#include "diag/words.h"
#include "manifest/secret_sources.h"
#include "schema/names.h"
#include "tree/json_reader.h"
#include "tree/typed_fields.h"

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
    if (const Fault fault = why_not_config_key(entry.key())) {
      context.refuse_key(entry, "key " + shown(entry.key()) + " " + *fault);
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
    if (const View other = get(binary, entry.key())) {
      context.refuse_key(other, "key " + shown(entry.key()) + " stands in `data` already")
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
    if (!get(texts, entry.key())) bytes += decoded_size(entry->text);
  }
  too_large(data ? data : texts, bytes, "Secret", context);
}

/// A type of Secret that holds a login of a registry.
struct LoginType {
  std::string_view type;
  std::string_view key;
};
constexpr LoginType kLoginTypes[] = {
    {"kubernetes.io/dockercfg", ".dockercfg"},
    {"kubernetes.io/dockerconfigjson", ".dockerconfigjson"},
};

/// Bytes behind a base64 text without faults; line ends in it do not count.
std::string decoded(std::string_view text) {
  std::string bytes;
  std::uint32_t group = 0;
  int bits = 0;
  for (char c : text) {
    int value = 0;
    if (c >= 'A' && c <= 'Z') {
      value = c - 'A';
    } else if (c >= 'a' && c <= 'z') {
      value = c - 'a' + 26;
    } else if (c >= '0' && c <= '9') {
      value = c - '0' + 52;
    } else if (c == '+') {
      value = 62;
    } else if (c == '/') {
      value = 63;
    } else {
      continue;
    }
    group = group << 6 | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(group >> bits & 0xff);
  }
  return bytes;
}

bool is_json_map(std::string text) {
  SourceMap sources;
  Sink sink;
  const FileId file = sources.add("secret", std::move(text));
  const auto tree = read_json(sources, file, sink);
  return tree && (*tree)[tree->root()].is_map();
}

/// What the kubelet logs in to a registry with. Its text is never shown.
void registry_login(View object, CheckContext& context) {
  const std::string_view type = string_at(object, "type");
  if (is_encrypted_by_sops(object)) return;
  for (const LoginType& row : kLoginTypes) {
    if (row.type != type) continue;
    const View plain = get(get(object, "stringData"), row.key);
    const View encoded = get(get(object, "data"), row.key);
    const View at = plain ? plain : encoded;
    if (!at || at.kind() != Kind::String) continue;
    if (is_json_map(plain ? std::string(plain->text) : decoded(encoded->text))) continue;
    context.refuse(at, shown(row.key) + " of a Secret of type " + shown(type) +
                           " holds no JSON object; expected one such as `{\"auths\": {...}}`" +
                           (plain ? "" : ", in base64"));
  }
}

constexpr Check kChecks[] = {
    {.name = "config-map",
     .group = CheckGroup::Core,
     .on = "core ConfigMap",
     .sentence = "Keys of a ConfigMap can be file names, come once, and hold at most 1 MiB.",
     .source = kConfigSource,
     .object = config_map},
    {.name = "config-file",
     .group = CheckGroup::Core,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "core ConfigMap; k8s.cni.cncf.io NetworkAttachmentDefinition; "
           "sriovnetwork.openshift.io SriovNetwork SriovIBNetwork; mellanox.com HostDeviceNetwork "
           "IPoIBNetwork MacvlanNetwork",
     .sentence = "Files in a ConfigMap that are called `.json`, `.yaml` or `.yml`, and the JSON of "
                 "a network, can be read as such.",
     .source = "RFC 8259; yaml.org/spec 1.2.2",
     .object = check_config_files,
     .severity = Severity::Warning,
     .because = "The pods start, and whatever reads the file ends them.",
     .fix = "mend the file; where its reader takes more than the format has, turn this check off"},
    {.name = "secret-data",
     .group = CheckGroup::Secrets,
     .on = "core Secret",
     .sentence = "Keys of a Secret can be file names, and hold at most 1 MiB.",
     .source = kSecretSource,
     .object = secret_data},
    {.name = "registry-login",
     .group = CheckGroup::Secrets,
     .on = "core Secret",
     .sentence = "A login of a registry is a JSON object.",
     .source = kSecretSource,
     .object = registry_login},
};

}  // namespace

constinit const std::span<const Check> config_checks = kChecks;

}  // namespace trainyard
