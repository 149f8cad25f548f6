// How the GPU Operator and the device plugin of NVIDIA share GPUs: a text in a ConfigMap.

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "check/check.h"
#include "diag/words.h"
#include "lints/gpu/mig_profile.h"
#include "lints/tables.h"
#include "manifest/embedded_yaml.h"
#include "manifest/metadata.h"
#include "shell/command_line.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// The known fields of a map of the plugin's configuration.
struct KnownFields {
  std::string_view where;
  std::array<std::string_view, 9> fields;
};

// NVIDIA/k8s-device-plugin api/config/v1: config.go, flags.go, replicas.go
constexpr auto kKnown = std::to_array<KnownFields>({
    {"", {"version", "flags", "resources", "sharing", "imex"}},
    {"flags",
     {"migStrategy", "failOnInitError", "nvidiaDriverRoot", "nvidiaDevRoot", "gdrcopyEnabled",
      "gdsEnabled", "mofedEnabled", "plugin", "gfd"}},
    {"sharing", {"timeSlicing", "mps"}},
    {"timeSlicing", {"renameByDefault", "failRequestsGreaterThanOne", "resources"}},
    {"mps", {"renameByDefault", "failRequestsGreaterThanOne", "resources"}},
});

/// A field that stands one level too high or too low.
std::string_view home_of(std::string_view field) {
  for (const KnownFields& known : kKnown) {
    if (known.where == "mps" || known.where.empty()) continue;
    if (std::ranges::find(known.fields, field) != known.fields.end()) return known.where;
  }
  return {};
}

/// The plugin takes no notice of a field that it does not know (sigs.k8s.io/yaml without strict).
void check_fields(View map, std::string_view where, const TextYaml& yaml, CheckContext& context) {
  const auto* const known = std::ranges::find(kKnown, where, &KnownFields::where);
  for (View each : Items(map)) {
    const std::string_view home = home_of(each.key());
    const bool is_known =
        std::ranges::find(known->fields, each.key()) != known->fields.end() || home.empty();
    if (is_known) continue;
    context.lint(yaml.place(each->key_span), shown(each.key()) + " belongs below " + shown(home) +
                                                 ": here the device plugin ignores it");
  }
}

void check_shared_resources(View sharing, std::string_view way, const TextYaml& yaml,
                            CheckContext& context) {
  const View part = get(sharing, way);
  check_fields(part, way, yaml, context);
  for (View each : items_at(part, "resources")) {
    const View replicas = get(each, "replicas");
    const auto number = integer_of(replicas);
    const std::string_view written = string_of(replicas);
    if (!number && !written.empty() && !written.starts_with("${")) {
      context.lint(yaml.place(replicas), shown(replicas->text) + " is not a number of pods");
    }
    if (!number || *number >= 2) continue;
    context.lint(yaml.place(replicas), "a GPU is shared by 2 pods at least, not by " +
                                           std::string(replicas->text) +
                                           ": leave the resource out to share nothing");
  }
}

void plugin_config(View text, CheckContext& context) {
  const std::string_view written = string_of(text);
  if (written.find("version") == written.npos && written.find("sharing") == written.npos) return;
  if (written.find("timeSlicing") == written.npos && written.find("mps:") == written.npos) return;
  const TextYaml yaml(text);
  const View root = yaml.root();
  const View sharing = get(root, "sharing");
  if (!root || !root->is_map() || !(sharing || get(root, "flags"))) return;
  const View version = get(root, "version");
  if (string_of(version) != "v1") {
    context.lint(version ? yaml.place(version) : WordView(text),
                 version ? "the device plugin reads `version: v1`, not " + shown(version->text)
                         : "the configuration of the device plugin begins with `version: v1`");
  }
  check_fields(root, "", yaml, context);
  if (const View flags = get(root, "flags")) check_fields(flags, "flags", yaml, context);
  if (!sharing || !sharing->is_map()) return;
  check_fields(sharing, "sharing", yaml, context);
  check_shared_resources(sharing, "timeSlicing", yaml, context);
  check_shared_resources(sharing, "mps", yaml, context);
}

/// How many slices of the smallest memory a GPU has: 7 for compute, whatever the card.
void mig_devices(View devices, const TextYaml& yaml, CheckContext& context) {
  constexpr std::int64_t kSlices = 7;
  std::int64_t all = 0;
  for (View each : Items(devices)) {
    // `1g.10gb+me` in this file is `1g.10gb.me` in the name of a resource.
    const std::string_view profile = each.key().substr(0, each.key().find_first_of("+-"));
    const std::string fault = fault_of_mig_profile(profile);
    if (!fault.empty()) {
      context.lint(yaml.place(each), shown(each.key()) + " " + fault);
      return;
    }
    const std::int64_t size = plain_number(profile.substr(0, profile.find('g'))).value_or(0);
    const std::int64_t number = integer_of(each).value_or(0);
    if (number < 0 || number > 100) return;
    all += size * number;
    if (all <= kSlices) continue;
    context.lint(yaml.place(each), "the slices take " + std::to_string(all) +
                                       " parts of a GPU, and it has " + std::to_string(kSlices));
    return;
  }
}

// NVIDIA/mig-parted deployments/gpu-operator: profiles of one card each, without those of media.
constexpr auto kProfilesOfCards = std::to_array<std::string_view>({
    " 1g.5gb 1g.10gb 2g.10gb 3g.20gb 4g.20gb 7g.40gb ",    // A100 40GB
    " 1g.10gb 1g.20gb 2g.20gb 3g.40gb 4g.40gb 7g.80gb ",   // A100 80GB, H100
    " 1g.12gb 1g.24gb 2g.24gb 3g.48gb 4g.48gb 7g.96gb ",   // H100 96GB, GH200
    " 1g.11gb 1g.22gb 2g.22gb 3g.44gb 4g.44gb 7g.88gb ",   // H100 of 94 GB
    " 1g.18gb 1g.35gb 2g.35gb 3g.71gb 4g.71gb 7g.141gb ",  // H200
    " 1g.23gb 1g.45gb 2g.45gb 3g.90gb 4g.90gb 7g.180gb ",  // B200
    " 1g.24gb 1g.47gb 2g.47gb 3g.95gb 4g.95gb 7g.189gb ",  // GB200
    " 1g.6gb 2g.12gb 4g.24gb ",                            // A30
});

/// Profiles that only two different cards have; others may be of a card that is not known here.
void profiles_of_card(View devices, const TextYaml& yaml, CheckContext& context) {
  const auto has = [](std::string_view card, View each) {
    const std::string_view key = each.key().substr(0, each.key().find_first_of("+-"));
    return card.find(" " + std::string(key) + " ") != card.npos;
  };
  View last;
  for (View each : Items(devices)) {
    const bool is_known = std::ranges::any_of(
        kProfilesOfCards, [&](std::string_view card) { return has(card, each); });
    if (!is_known || integer_of(each).value_or(0) < 1) return;
    last = each;
  }
  const bool fits = std::ranges::any_of(kProfilesOfCards, [&](std::string_view card) {
    return std::ranges::all_of(Items(devices), [&](View each) { return has(card, each); });
  });
  if (!last || fits) return;
  context.lint(yaml.place(last),
               "no GPU has all of these profiles: " + shown(last.key()) + " is of another card");
}

void mig_config(View text, CheckContext& context) {
  const std::string_view written = string_of(text);
  if (written.find("mig-enabled") == written.npos) return;
  const TextYaml yaml(text);
  const View other = get(yaml.root(), "mig_configs");
  if (other && !get(yaml.root(), "mig-configs")) {
    context.lint(yaml.place(other->key_span), "the MIG manager reads `mig-configs`");
  }
  for (View config : Items(get(yaml.root(), "mig-configs"))) {
    for (View each : Items(config)) {
      const View devices = get(each, "mig-devices");
      if (!devices || !devices->is_map()) continue;
      const std::size_t before = context.findings();
      mig_devices(devices, yaml, context);
      if (context.findings() == before) profiles_of_card(devices, yaml, context);
    }
  }
}

void sharing_config(View object, CheckContext& context) {
  for (View entry : entries_at(object, "data")) {
    plugin_config(entry, context);
    mig_config(entry, context);
  }
}

bool is_sharing_config(View config_map) {
  return std::ranges::any_of(entries_at(config_map, "data"), [](View each) {
    return string_of(each).find("timeSlicing") != std::string_view::npos;
  });
}

/// The namespace of the operator is not stated, so that of the ConfigMap does not count.
void check_named_config(View config, CheckContext& context) {
  const View name = get(config, "name");
  const View key = get(config, "default");
  const Inventory* inventory = string_of(name).empty() ? nullptr : context.inventory();
  if (inventory == nullptr) return;
  const std::vector<View> found = inventory->named("", "ConfigMap", name->text);
  if (found.empty()) {
    const std::vector<View> all = inventory->all("", "ConfigMap");
    const auto other = std::ranges::find_if(all, [&](View each) {
      return each->span.file == name->span.file && is_sharing_config(each);
    });
    if (other == all.end()) return;
    context.lint(name, "there is no ConfigMap " + shown(name->text) + " among those that are given")
        .also(context.place(get(get(*other, "metadata"), "name")), "is it this one?");
    return;
  }
  if (string_of(key).empty() || get(get(found.front(), "data"), key->text)) return;
  context.lint(key, "ConfigMap " + shown(name->text) + " has no key " + shown(key->text))
      .also(context.place(metadata_name(found.front())), "the ConfigMap");
}

/// NVIDIA/mig-parted: the manager mounts the ConfigMap, and reads `config.yaml` of it.
void check_mig_file(View config, CheckContext& context) {
  const View name = get(config, "name");
  const Inventory* inventory = string_of(name).empty() ? nullptr : context.inventory();
  if (inventory == nullptr) return;
  for (View each : inventory->named("", "ConfigMap", name->text)) {
    if (!has_items(get(each, "data"))) continue;
    if (get(get(each, "data"), "config.yaml")) return;
    context
        .lint(name, "the MIG manager reads `config.yaml`, and ConfigMap " + shown(name->text) +
                        " has no such key")
        .also(context.place(get(each, "data").first()), "a key that it has");
    return;
  }
}

/// Labels of a Node that choose one of several configurations. With a ConfigMap of their own, users
/// have none but what is in it; names that begin with `all-` may be those of the operator.
void check_labels(View object, CheckContext& context) {
  const View labels = get(get(object, "metadata"), "labels");
  const View mig = get(labels, "nvidia.com/mig.config");
  const View sharing = get(labels, "nvidia.com/device-plugin.config");
  if (string_of(mig).empty() && string_of(sharing).empty()) return;
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return;
  bool has_mig = string_of(mig).empty() || mig->text.starts_with("all-");
  bool has_sharing = string_of(sharing).empty();
  View of_mig;
  View of_sharing;
  for (View each : inventory->all("", "ConfigMap")) {
    const View data = get(each, "data");
    const View file = get(data, "config.yaml");
    if (string_of(file).find("mig-configs") != std::string_view::npos) {
      of_mig = each;
      const TextYaml yaml(file);
      has_mig = has_mig || !yaml.root() || get(get(yaml.root(), "mig-configs"), mig->text);
    }
    if (!is_sharing_config(each)) continue;
    of_sharing = each;
    has_sharing = has_sharing || get(data, sharing->text);
  }
  const auto say = [&](View label, View config_map) {
    context.lint(label, "no ConfigMap among the inputs has a configuration " + shown(label->text))
        .also(context.place(get(get(config_map, "metadata"), "name")), "one that has others");
  };
  if (!has_mig && of_mig) say(mig, of_mig);
  if (!has_sharing && of_sharing) say(sharing, of_sharing);
}

void named_configs(View object, CheckContext& context) {
  if (string_at(object, "kind") == "Node") return check_labels(object, context);
  check_mig_file(get(get(get(object, "spec"), "migManager"), "config"), context);
  check_named_config(get(get(get(object, "spec"), "devicePlugin"), "config"), context);
}

constexpr Check kChecks[] = {
    {.name = "gpu-sharing-config",
     .group = CheckGroup::Gpu,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "core ConfigMap",
     .sentence = "A configuration that shares or slices GPUs is one that the device plugin, or the "
                 "MIG manager, takes.",
     .source = "NVIDIA/k8s-device-plugin api/config/v1/replicas.go, issues 1433 and 1022; "
               "NVIDIA/mig-parted api/spec/v1/spec.go, pkg/types/mig_profile.go",
     .object = sharing_config,
     .severity = Severity::Warning,
     .because = "The plugin ends with an error, and nodes offer no GPU; or it shares none.",
     .fix =
         "write `version: v1`, and `sharing.timeSlicing.resources` with `replicas` of 2 or more"},
    {.name = "gpu-sharing-config-exists",
     .group = CheckGroup::Gpu,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "nvidia.com ClusterPolicy; core Node",
     .sentence = "The configuration of GPUs that a ClusterPolicy names, or a label of a Node, is "
                 "there.",
     .source =
         "NVIDIA/gpu-operator controllers/object_controls.go transformConfigManagerInitContainer, "
         "issue 412; NVIDIA/mig-parted deployments/gpu-operator; NVIDIA/k8s-device-plugin "
         "cmd/config-manager/main.go",
     .object = named_configs,
     .severity = Severity::Warning,
     .because = "The device plugin waits for the file, or the manager on the node ends with an "
                "error: the GPUs are not offered, or stay as they are.",
     .fix = "name a ConfigMap of the operator's namespace and one of its keys, or a name below "
            "`mig-configs`"},
};

}  // namespace

const std::span<const Check> device_sharing_lints = kChecks;

}  // namespace trainyard
