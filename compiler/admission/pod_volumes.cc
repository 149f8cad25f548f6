#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "admission/field_refs.h"
#include "admission/name_checks.h"
#include "admission/tables.h"
#include "admission/volume_claim.h"
#include "admission/volume_paths.h"
#include "admission/volumes.h"
#include "check/check.h"
#include "diag/words.h"
#include "manifest/field_words.h"
#include "schema/names.h"
#include "source/characters.h"
#include "source/word_table.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kSource =
    "kubernetes/kubernetes pkg/apis/core/validation/validation.go ValidateVolumes";

constexpr auto kVolumeSources = word_table<
    "emptyDir hostPath persistentVolumeClaim configMap secret projected downwardAPI nfs csi "
    "ephemeral image awsElasticBlockStore azureDisk azureFile cephfs cinder fc flexVolume "
    "flocker gcePersistentDisk gitRepo glusterfs iscsi photonPersistentDisk portworxVolume "
    "quobyte rbd scaleIO storageos vsphereVolume">;
constexpr auto kProjections =
    std::to_array<std::string_view>({"secret", "configMap", "downwardAPI", "serviceAccountToken",
                                     "clusterTrustBundle", "podCertificate"});

template <std::size_t N>
std::vector<View> present(View map, const std::array<std::string_view, N>& keys) {
  std::vector<View> found;
  for (View entry : Items(map)) {
    if (entry.kind() == Kind::Null) continue;
    if (std::ranges::find(keys, entry.key()) != keys.end()) found.push_back(entry);
  }
  return found;
}

void volume_names(const Pod& pod, CheckContext& context) {
  for (View volume : items_at(pod.spec, "volumes")) {
    const View name = get(volume, "name");
    if (name && name.kind() == Kind::String && name->text.empty()) {
      context.refuse(name, "a volume without a name");
    }
    context.name(name, "volume", why_not_dns_label);
  }
  unique_names(get(pod.spec, "volumes"), "volume", context);
}

/// One that says nothing becomes an emptyDir (pkg/apis/core/v1/defaults.go).
void volume_source(const Pod& pod, CheckContext& context) {
  for (View volume : items_at(pod.spec, "volumes")) {
    if (!volume->is_map()) continue;
    const std::vector<View> sources = present(volume, kVolumeSources);
    for (std::size_t i = 1; i < sources.size(); ++i) {
      context
          .refuse_key(sources[i], "volume " + shown(string_at(volume, "name")) +
                                      " is made from two things, " + shown(sources[0]->key) +
                                      " and " + shown(sources[i]->key) + "; expected one")
          .also(context.place(sources[0]), "the first one");
    }
  }
}

void path_at(View map, std::string_view key, std::optional<std::string> (*why)(std::string_view),
             CheckContext& context) {
  const View value = get(map, key);
  if (string_of(value).empty()) return;
  if (const auto fault = why(value->text)) {
    context.refuse(value, "path " + shown(value->text) + " " + *fault);
  }
}

void host_path(View source, CheckContext& context) {
  require_text(source, "path", context);
  path_at(source, "path", why_steps_up, context);
  constexpr auto types =
      std::to_array<std::string_view>({"DirectoryOrCreate", "Directory", "FileOrCreate", "File",
                                       "Socket", "CharDevice", "BlockDevice"});
  context.allow(get(source, "type"), "type of a host path", types);
}

void nfs(View source, CheckContext& context) {
  require_text(source, "server", context);
  require_text(source, "path", context);
  const View path = get(source, "path");
  if (!string_of(path).empty() && !path->text.starts_with('/')) {
    context.refuse(path, "NFS path " + shown(path->text) + " must begin with `/`");
  }
}

void csi(View source, CheckContext& context) {
  const View driver = get(source, "driver");
  require_text(source, "driver", context);
  check_driver_name(driver, "CSI driver", context);
  const View secret = get(source, "nodePublishSecretRef");
  require_text(secret, "name", context);
  context.name(get(secret, "name"), "Secret", why_not_subdomain);
}

void empty_dir(View source, CheckContext& context) {
  const View limit = get(source, "sizeLimit");
  if (!limit || !limit->is_scalar()) return;
  const auto amount = Quantity::parse(limit->text);
  if (amount && amount->is_negative()) context.refuse(limit, "a size limit cannot be negative");
}

/// An optional one that cannot be there leaves the volume empty: kubernetes/kubernetes
/// pkg/volume/secret/secret.go SetUpAt.
void awaited_source(View source, std::string_view key, std::string_view what,
                    CheckContext& context) {
  if (is_true(get(source, "optional"))) return;
  context.check_pending_reference(get(source, key), what, why_not_subdomain);
}

void secret(View source, CheckContext& context) {
  require_text(source, "secretName", context);
  awaited_source(source, "secretName", "Secret", context);
  check_mode(get(source, "defaultMode"), context);
  check_key_paths(source, context);
}

void config_map(View source, CheckContext& context) {
  require_text(source, "name", context);
  awaited_source(source, "name", "ConfigMap", context);
  check_mode(get(source, "defaultMode"), context);
  check_key_paths(source, context);
}

void downward_api(View source, CheckContext& context) {
  check_mode(get(source, "defaultMode"), context);
  check_downward_files(source, context);
}

void claim(View source, CheckContext& context) {
  require_text(source, "claimName", context);
  context.check_pending_reference(get(source, "claimName"), "claim", why_not_subdomain);
}

void ephemeral(View source, CheckContext& context) {
  const View claim_template = get(source, "volumeClaimTemplate");
  if (!claim_template) {
    context.refuse(source, "`ephemeral` needs a `volumeClaimTemplate`");
    return;
  }
  check_template_metadata(get(claim_template, "metadata"), "the claim of an ephemeral volume",
                          context);
  check_claim_spec(get(claim_template, "spec"), claim_template, context);
}

void image(View source, CheckContext& context) {
  require_text(source, "reference", context);
  context.allow(get(source, "pullPolicy"), "pull policy", kPullPolicies);
}

/// `iqn.`, the year and month in which the owner had the domain, the domain, and behind a `:` a
/// name by that owner.
bool is_iscsi_name_of_domain(std::string_view name) {
  constexpr std::string_view form = "iqn.0000-00.";
  if (name.size() <= form.size()) return false;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] == '0' ? !is_digit(name[i]) : name[i] != form[i]) return false;
  }
  const std::size_t colon = name.find(':', form.size());
  if (colon == name.npos || colon == form.size()) return false;
  const std::string_view domain = name.substr(form.size(), colon - form.size());
  const std::string_view rest = name.substr(colon + 1);
  return std::ranges::all_of(domain,
                             [](char c) { return is_alphanumeric(c) || c == '-' || c == '.'; }) &&
         !rest.empty() && rest.find_first_of(",;*&$| \t\n\f\r") == rest.npos;
}

/// The name of a target or an initiator.
bool is_iscsi_name(std::string_view name) {
  if (name.starts_with("iqn")) return is_iscsi_name_of_domain(name);
  constexpr std::size_t prefix = 4;  // `eui.`
  const std::size_t digits = name.starts_with("eui") ? 16 : name.starts_with("naa") ? 32 : 0;
  return digits != 0 && name.size() == prefix + digits &&
         std::ranges::all_of(name.substr(prefix), is_alphanumeric);
}

void iscsi(View source, CheckContext& context) {
  for (std::string_view key : {"iqn", "initiatorName"}) {
    const View name = get(source, key);
    if (string_of(name).empty() || is_iscsi_name(name->text)) continue;
    context.refuse(name, shown(name->text) +
                             " is no name of iSCSI; expected one such as "
                             "`iqn.2024-01.com.example:storage`, or `eui.` or `naa.` with its "
                             "number");
  }
  const View unit = get(source, "lun");
  const auto number = integer_of(unit);
  if (number && (*number < 0 || *number > 255)) {
    context.refuse(
        unit, "the unit of a target is a number from 0 to 255, not " + std::to_string(*number));
  }
  if (get(source, "secretRef")) return;
  for (std::string_view key : {"chapAuthDiscovery", "chapAuthSession"}) {
    const View wanted = get(source, key);
    if (!is_true(wanted)) continue;
    context.refuse(wanted, shown(key) + " needs a `secretRef` with the names and passwords");
    return;
  }
}

void token(View source, CheckContext& context) {
  require_text(source, "path", context);
  path_at(source, "path", why_not_a_file, context);
  const View seconds = get(source, "expirationSeconds");
  const auto value = integer_of(seconds);
  if (value && (*value < 600 || *value > std::int64_t{1} << 32)) {
    context.refuse(seconds, "a token cannot expire after " + std::to_string(*value) +
                                " seconds; expected at least 600");
  }
}

void projection(View source, CheckContext& context) {
  const std::vector<View> kinds = present(source, kProjections);
  for (std::size_t i = 1; i < kinds.size(); ++i) {
    context.refuse_key(kinds[i], "one source of a projected volume holds both " +
                                     shown(kinds[0]->key) + " and " + shown(kinds[i]->key) +
                                     "; give each an item of its own");
  }
  for (std::string_view key : {"secret", "configMap"}) {
    require_text(get(source, key), "name", context);
    awaited_source(get(source, key), "name", key == "secret" ? "Secret" : "ConfigMap", context);
    check_key_paths(get(source, key), context);
  }
  check_downward_files(get(source, "downwardAPI"), context);
  if (const View at = get(source, "serviceAccountToken")) token(at, context);
}

/// The paths of all sources together name each file once.
void projected_paths(View source, CheckContext& context) {
  std::vector<View> seen;
  const auto once = [&](View path) {
    if (string_of(path).empty()) return;
    for (View first : seen) {
      if (first->text != path->text) continue;
      context.refuse(path, "two sources of one volume write the file " + shown(path->text))
          .also(context.place(first), "the first one");
      return;
    }
    seen.push_back(path);
  };
  for (View item : items_at(source, "sources")) {
    for (std::string_view key : {"secret", "configMap", "downwardAPI"}) {
      for (View file : items_at(get(item, key), "items")) once(get(file, "path"));
    }
    once(get(get(item, "clusterTrustBundle"), "path"));
  }
}

void projected(View source, CheckContext& context) {
  check_mode(get(source, "defaultMode"), context);
  for (View item : items_at(source, "sources")) projection(item, context);
  projected_paths(source, context);
}

struct SourceCheck {
  std::string_view key;
  void (*check)(View, CheckContext&);
};
constexpr SourceCheck kSourceChecks[] = {
    {"hostPath", host_path},
    {"nfs", nfs},
    {"csi", csi},
    {"emptyDir", empty_dir},
    {"secret", secret},
    {"configMap", config_map},
    {"projected", projected},
    {"downwardAPI", downward_api},
    {"ephemeral", ephemeral},
    {"persistentVolumeClaim", claim},
    {"image", image},
    {"iscsi", iscsi},
};

/// Volume types that are seldom seen, with what they cannot do without.
struct NeededText {
  std::string_view source;
  std::string_view field;
};
constexpr NeededText kNeededTexts[] = {
    {"azureDisk", "diskName"},
    {"azureDisk", "diskURI"},
    {"azureFile", "secretName"},
    {"azureFile", "shareName"},
    {"glusterfs", "endpoints"},
    {"glusterfs", "path"},
    {"iscsi", "targetPortal"},
    {"iscsi", "iqn"},
    {"quobyte", "registry"},
    {"quobyte", "volume"},
    {"rbd", "image"},
    {"flexVolume", "driver"},
    {"cinder", "volumeID"},
    {"gcePersistentDisk", "pdName"},
    {"awsElasticBlockStore", "volumeID"},
};

void needed_texts(View source, CheckContext& context) {
  for (const NeededText& row : kNeededTexts) {
    if (row.source == source.key()) require_text(source, row.field, context);
  }
}

void volume_contents(const Pod& pod, CheckContext& context) {
  for (View volume : items_at(pod.spec, "volumes")) {
    for (View entry : Items(volume)) {
      if (entry.kind() == Kind::Null || !entry->is_map()) continue;
      needed_texts(entry, context);
      for (const SourceCheck& row : kSourceChecks) {
        if (row.key == entry.key()) row.check(entry, context);
      }
    }
  }
}

/// The claim of an ephemeral volume is called after the pod and the volume.
void ephemeral_claims(const Pod& pod, CheckContext& context) {
  const View name = get(pod.metadata, "name");
  if (!pod.has(kIsPod) || string_of(name).empty()) return;
  std::unordered_map<std::string, View> made;
  for (View volume : items_at(pod.spec, "volumes")) {
    const View own = get(volume, "name");
    if (!get(volume, "ephemeral") || string_of(own).empty()) continue;
    std::string claim = std::string(name->text) + "-" + std::string(own->text);
    if (const Fault fault = why_not_subdomain(claim); fault && !why_not_dns_label(own->text)) {
      context.refuse(
          own, "the claim of this volume would be called " + shown(claim) + ", which " + *fault);
    }
    made.try_emplace(std::move(claim), own);
  }
  for (View volume : items_at(pod.spec, "volumes")) {
    const View claim = get(get(volume, "persistentVolumeClaim"), "claimName");
    const auto taken = made.find(std::string(string_of(claim)));
    if (taken == made.end()) continue;
    context
        .refuse(claim,
                "the claim " + shown(taken->first) + " is made for an ephemeral volume of this pod")
        .also(context.place(taken->second), "the volume");
  }
}

constexpr Check kChecks[] = {
    {.name = "volume-names",
     .group = CheckGroup::Core,
     .sentence = "Volumes of a pod have different names, each a DNS label.",
     .source = kSource,
     .pod = volume_names},
    {.name = "volume-source",
     .group = CheckGroup::Core,
     .sentence = "A volume is made from one thing: a claim, a ConfigMap, an emptyDir...",
     .source = kSource,
     .pod = volume_source},
    {.name = "volume-contents",
     .group = CheckGroup::Core,
     .sentence = "What a volume is made from is fully said: names, paths that stay inside, file "
                 "modes, and each projected file once.",
     .source = kSource,
     .pod = volume_contents},
    {.name = "ephemeral-claims",
     .group = CheckGroup::Storage,
     .sentence = "The claim of an ephemeral volume has a valid name, and no other volume uses it.",
     .source = kSource,
     .pod = ephemeral_claims},
};

}  // namespace

void check_mode(View mode, CheckContext& context) {
  const auto value = integer_of(mode);
  if (!value || (*value >= 0 && *value <= 0777)) return;
  context.refuse(mode, "file mode " + std::to_string(*value) +
                           " is above 511, which is 0777: the number is read as decimal");
}

void check_key_paths(View source, CheckContext& context) {
  for (View item : items_at(source, "items")) {
    require_text(item, "key", context);
    require_text(item, "path", context);
    path_at(item, "path", why_not_a_file, context);
    check_mode(get(item, "mode"), context);
  }
}

void check_downward_files(View source, CheckContext& context) {
  for (View item : items_at(source, "items")) {
    if (!item->is_map()) continue;
    require_text(item, "path", context);
    path_at(item, "path", why_not_a_file, context);
    check_mode(get(item, "mode"), context);
    const View field = get(item, "fieldRef");
    const View resource = get(item, "resourceFieldRef");
    if (!field && !resource) {
      context.refuse(item, "file has nothing to hold; expected `fieldRef` or `resourceFieldRef`");
    } else if (field && resource) {
      context.refuse_key(resource, "file holds both a `fieldRef` and a `resourceFieldRef`");
    }
    if (field) check_field_ref(field, FieldUse::File, context);
    if (resource) check_resource_ref(resource, FieldUse::File, context);
  }
}

constinit const std::span<const Check> pod_volume_checks = kChecks;

}  // namespace trainyard
