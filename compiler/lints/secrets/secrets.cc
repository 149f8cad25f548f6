// What pods want of Secrets and ConfigMaps.

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/check.h"
#include "check/typos.h"
#include "diag/suggest.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/mounted_files.h"
#include "manifest/secret_sources.h"
#include "shell/command_line.h"
#include "shell/script_commands.h"
#include "shell/shell_words.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

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

/// The Secrets of a name that pods of a namespace may have.
std::vector<SecretSource> secrets_here(std::string_view name, std::string_view name_space,
                                       const Inventory& inventory) {
  std::vector<SecretSource> found = secret_sources(inventory, name);
  std::erase_if(found, [&](const SecretSource& each) {
    return !each.name_space.empty() && !name_space.empty() && each.name_space != name_space;
  });
  return found;
}

/// Those of all names that are nearly this one.
std::vector<SecretSource> near_secrets(std::string_view name, std::string_view name_space,
                                       const Inventory& inventory) {
  std::vector<SecretSource> found;
  for (const std::string_view known : inventory.names(kSecretGroup, kSecretKind)) {
    if (!is_typo_of_name(name, known)) continue;
    std::ranges::move(secrets_here(known, name_space, inventory), std::back_inserter(found));
  }
  return found;
}

/// The Secrets around are all that there are of this name, and none has the key.
void check_key(const std::vector<SecretSource>& sources, const WantedKey& wanted,
               CheckContext& context) {
  const std::string_view key = string_of(wanted.key);
  if (key.empty()) return;
  std::vector<std::string> known;
  for (const SecretSource& source : sources) {
    // One without a key is there for others to fill in.
    if (!source.is_complete || source.keys.empty()) return;
    known.insert(known.end(), source.keys.begin(), source.keys.end());
  }
  if (std::ranges::find(known, key) != known.end()) return;
  context
      .lint(wanted.key, "Secret " + shown(string_of(wanted.name)) + " has no key " + shown(key) +
                            ", it has " + listed(known, "and"))
      .also(context.place(sources.front().object), "the Secret, or what makes it");
}

/// Whether tools copy a Secret into other namespaces: emberstack/kubernetes-reflector,
/// mittwald/kubernetes-replicator.
bool is_copied(View secret) {
  return std::ranges::any_of(entries_at(get(secret, "metadata"), "annotations"), [](View each) {
    return each.key().find("reflect") != each.key().npos ||
           each.key().find("replicat") != each.key().npos;
  });
}

/// Says that a Secret that nothing makes in a namespace is in another one.
bool tell_of_secret_elsewhere(View name, std::string_view name_space, const Inventory& inventory,
                              CheckContext& context) {
  const View other = find_in_other_namespace(inventory, "", "Secret", name_space, string_of(name));
  return other && !is_copied(other) &&
         report_wrong_namespace({"", "Secret", "Secret", name_space, name}, context,
                                Severity::Warning);
}

/// Others may make the Secret; a name that is nearly that of one here is very likely a typo.
void check_name(const std::vector<SecretSource>& near_ones, const WantedKey& wanted,
                CheckContext& context) {
  if (near_ones.empty()) return;
  const SecretSource* near = &near_ones.front();
  Diagnostic& told = context.lint(wanted.name,
                                  "no Secret " + shown(string_of(wanted.name)) +
                                      " is among the inputs, but " + shown(near->name) + " is",
                                  Severity::Warning);
  told.also(context.place(near->object), "this one");
  told.found_by.effect = Effect::RunsWrong;  // more than a guess
}

void wanted_secrets(const Pod& pod, CheckContext& context) {
  const std::vector<WantedKey> wanted = wanted_keys(pod, kSecrets);
  if (wanted.empty()) return;
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return;
  const std::string_view name_space = string_at(get(context.object(), "metadata"), "namespace");
  for (const WantedKey& each : wanted) {
    const std::string_view name = string_of(each.name);
    const auto here = secrets_here(name, name_space, *inventory);
    if (!here.empty()) {
      check_key(here, each, context);
    } else if (!tell_of_secret_elsewhere(each.name, name_space, *inventory, context)) {
      check_name(near_secrets(name, name_space, *inventory), each, context);
    }
  }
}

/// The keys of ConfigMaps, put together once for each name: a pod may want very many.
class KeysOfMaps {
 public:
  KeysOfMaps(const Inventory& inventory, CheckContext& context)
      : inventory_(inventory), context_(context) {}

  struct Keys {
    View last;  // of the ConfigMaps; empty where there is none
    std::set<std::string_view> all;
    std::vector<std::string> told;  // in their order
  };

  /// All ConfigMaps of this name among the inputs count: layers of a kustomization have one each.
  const Keys& of(std::string_view name) {
    const auto [known, is_new] = by_name_.try_emplace(name);
    Keys& keys = known->second;
    if (!is_new) return keys;
    for (View map : config_maps_of(inventory_, context_.object(), name)) {
      keys.last = map;
      for (std::string_view field : {"data", "binaryData"}) {
        for (View entry : entries_at(map, field)) {
          keys.all.insert(entry.key());
          keys.told.emplace_back(entry.key());
        }
      }
    }
    return keys;
  }

 private:
  const Inventory& inventory_;
  CheckContext& context_;
  std::map<std::string_view, Keys> by_name_;
};

void check_key_of_map(KeysOfMaps& maps, const WantedKey& wanted, CheckContext& context) {
  const std::string_view key = string_of(wanted.key);
  if (key.empty()) return;
  const KeysOfMaps::Keys& keys = maps.of(string_of(wanted.name));
  if (!keys.last || keys.all.contains(key)) return;
  context
      .lint(wanted.key,
            "ConfigMap " + shown(string_of(wanted.name)) + " has no key " + shown(key) +
                (keys.told.empty() ? std::string() : ", it has " + listed(keys.told, "and")))
      .also(context.place(keys.last), "the ConfigMap");
}

void wanted_config_maps(const Pod& pod, CheckContext& context) {
  const std::vector<WantedKey> wanted = wanted_keys(pod, kConfigMaps);
  const Inventory* inventory = wanted.empty() ? nullptr : context.inventory();
  if (inventory == nullptr) return;
  const std::string_view name_space = string_at(get(context.object(), "metadata"), "namespace");
  KeysOfMaps maps(*inventory, context);
  for (const WantedKey& each : wanted) {
    const NamedObject map{"", "ConfigMap", "ConfigMap", name_space, each.name};
    if (report_wrong_namespace(map, context, Severity::Warning) ||
        report_similar_name(map, context, Severity::Warning)) {
      continue;
    }
    check_key_of_map(maps, each, context);
  }
}

/// The files that a volume makes of a ConfigMap, as far as all that it is made from is known.
struct MadeFiles {
  View object;  // empty where they are not known
  std::vector<std::string> paths;
};

MadeFiles files_of(const Inventory& inventory, View volume, CheckContext& context) {
  const View source = get(volume, "configMap");
  MadeFiles made;
  if (!source) return made;
  for (View map : config_maps_of(inventory, context.object(), string_at(source, "name"))) {
    made.object = map;
    for (std::string_view field : {"data", "binaryData"}) {
      for (View entry : entries_at(map, field)) made.paths.emplace_back(entry.key());
    }
  }
  if (!has_items(get(source, "items"))) return made;
  made.paths.clear();
  for (View item : items_at(source, "items")) made.paths.emplace_back(string_at(item, "path"));
  return made;
}

bool holds(const MadeFiles& files, std::string_view path) {
  return std::ranges::any_of(files.paths, [&](std::string_view each) {
    return each.starts_with(path) && (each.size() == path.size() || each[path.size()] == '/');
  });
}

/// A path that a container opens, by what its command says.
struct OpenedPath {
  std::string path;
  View at;
  bool is_program = false;  // or what an interpreter reads as one
};

bool reads_programs(std::string_view word) {
  constexpr auto names = std::to_array<std::string_view>(
      {"bash", "sh", "source", ".", "torchrun", "accelerate", "deepspeed"});
  const std::string_view name = program_name(word);
  return name.starts_with("python") || std::ranges::find(names, name) != names.end();
}

/// `cp A B TARGET`, `cat A`: all but the target are read.
bool paths_of_copy(std::span<const ShellWord> words, std::vector<OpenedPath>& out) {
  const bool copies = words[0].text == "cp" || words[0].text == "mv";
  if (!copies && words[0].text != "cat") return false;
  const std::size_t end = words.size() - (copies ? 1 : 0);
  for (std::size_t i = 1; i < end; ++i) {
    const std::string_view text = words[i].text;
    if (text.starts_with('/') && text.find_first_of("$*?[]{}<>|&\n") == text.npos) {
      out.push_back({std::string(text), words[i].at});
    }
  }
  return true;
}

/// What the words of one command open. What is only looked for (`test -f`) is not opened, nor are
/// arguments of unknown programs.
void paths_of_command(std::span<const ShellWord> words, std::vector<OpenedPath>& out) {
  while (!words.empty() && (words[0].text == "exec" || words[0].text == "tini" ||
                            words[0].text == "--" || words[0].text == "env")) {
    words = words.subspan(1);
  }
  if (words.empty() || paths_of_copy(words, out)) return;
  constexpr auto launchers = std::to_array<std::string_view>({"mpirun", "mpiexec", "horovodrun"});
  if (std::ranges::find(launchers, words[0].text) != launchers.end()) {
    const auto python = std::ranges::find_if(
        words, [](const ShellWord& each) { return program_name(each.text).starts_with("python"); });
    words = words.subspan(static_cast<std::size_t>(python - words.begin()));
    if (words.empty()) return;
  }
  const bool reads = reads_programs(words[0].text);
  bool is_program = true;  // or nothing but options so far
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view text = words[i].text;
    const bool is_option = text.starts_with('-');
    const bool is_value = i > 0 && words[i - 1].text.starts_with("--");
    if (const std::size_t equals = text.find('='); is_option && equals != text.npos) {
      text.remove_prefix(equals + 1);
    } else if (is_option) {
      continue;
    }
    constexpr std::string_view kOthers = "$*?[]{},:;<>()\"'`|&= \t\n";
    const bool is_path = text.starts_with('/') && text.find_first_of(kOthers) == text.npos;
    const bool runs = is_program && !is_option && !is_value;
    if (is_path) out.push_back({std::string(text), words[i].at, runs});
    if (!reads) return;
    if (i > 0 && runs) is_program = false;
  }
}

/// `-c`, `-lc`: what follows is a script of its own.
bool takes_script(std::string_view word) {
  return word.size() > 1 && word.size() < 6 && word[0] == '-' && word[1] != '-' &&
         word.ends_with('c');
}

/// Whether a text has parts that are no commands, or commands that may fail.
bool may_do_without(View argument) {
  const std::string_view text = argument->text;
  constexpr auto signs = std::to_array<std::string_view>({"<<", "=(", "||", "2>"});
  return std::ranges::any_of(
      signs, [text](std::string_view each) { return text.find(each) != text.npos; });
}

std::vector<OpenedPath> opened_paths(View container) {
  std::vector<OpenedPath> found;
  if (any_argument(container, may_do_without)) return found;
  const ShellWords words = command_words(container);
  std::string_view before;
  for (const ShellWord& word : words) {
    const std::string_view text = word.text;
    if (std::exchange(before, text) == "set") continue;
    if (text == "[" || text == "[[" || text == "test" || text == "-f" || text == "-e") return found;
  }
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= words.size(); ++i) {
    const bool goes_on = i < words.size() && words[i].text != "\n" &&
                         !(is_shell(words[begin].text) && takes_script(words[i].text));
    if (goes_on) continue;
    paths_of_command(std::span(words).subspan(begin, i - begin), found);
    begin = i + 1;
  }
  return found;
}

/// A volume of a ConfigMap holds its keys and nothing else, and is read-only.
void wanted_files(const Pod& pod, CheckContext& context) {
  const bool any = std::ranges::any_of(items_at(pod.spec, "volumes"), [](View volume) {
    return static_cast<bool>(get(volume, "configMap"));
  });
  const Inventory* inventory = any ? context.inventory() : nullptr;
  if (inventory == nullptr || string_at(get(pod.spec, "os"), "name") == "windows") return;
  for (const PodContainer& each : pod.containers) {
    for (const OpenedPath& opened : opened_paths(each.node)) {
      const auto path = mounted_path(pod, each.node, opened.path);
      if (!path || path->below.empty() || path->below.starts_with("..")) continue;
      const MadeFiles files = files_of(*inventory, path->volume, context);
      if (!files.object || files.paths.empty() || holds(files, path->below)) continue;
      context
          .lint(opened.at,
                "there is no file " + shown(opened.path) + ": ConfigMap " +
                    shown(string_at(get(files.object, "metadata"), "name")) + ", mounted at " +
                    shown(string_at(path->mount, "mountPath")) + ", makes " +
                    listed(files.paths, "and"),
                opened.is_program ? Severity::Error : Severity::Warning)
          .also(context.place(get(path->mount, "mountPath")), "mounted here");
    }
  }
}

/// In the place of a file that is not there the kubelet mounts an empty folder.
void mounted_keys(const Pod& pod, CheckContext& context) {
  for (const PodContainer& container : pod.containers) {
    for (View mount : items_at(container.node, "volumeMounts")) {
      const View sub_path = get(mount, "subPath");
      const std::string_view path = string_of(sub_path);
      const std::string_view name = string_at(mount, "name");
      if (path.empty() || path.starts_with('.')) continue;
      for (View volume : items_at(pod.spec, "volumes")) {
        const View source = get(volume, "configMap");
        const bool is_it = source && string_at(volume, "name") == name;
        const Inventory* inventory = is_it ? context.inventory() : nullptr;
        if (inventory == nullptr || is_optional(source)) continue;
        const MadeFiles files = files_of(*inventory, volume, context);
        if (!files.object || files.paths.empty() || holds(files, path)) continue;
        context
            .lint(sub_path,
                  "there is no file " + shown(path) + " in the volume: ConfigMap " +
                      shown(string_at(source, "name")) + " makes " + listed(files.paths, "and"),
                  Severity::Warning)
            .also(context.place(get(files.object, "metadata")), "the ConfigMap");
      }
    }
  }
}

void config_maps(const Pod& pod, CheckContext& context) {
  wanted_config_maps(pod, context);
  mounted_keys(pod, context);
  wanted_files(pod, context);
}

/// One of the Secrets around, or of those that are made from what is around, is nearly called so.
/// The kubelet goes on without one that is not there.
void near_pull_secret(View name, std::string_view name_space, const Inventory& inventory,
                      CheckContext& context) {
  if (!secrets_here(name->text, name_space, inventory).empty()) return;
  if (tell_of_secret_elsewhere(name, name_space, inventory, context)) return;
  const auto all = near_secrets(name->text, name_space, inventory);
  if (all.empty() || all.front().name != all.back().name) return;
  const SecretSource* near = &all.back();
  context
      .lint(name, "no Secret " + shown(name->text) + " is among the inputs, but " +
                      shown(near->name) + " is")
      .also(context.place(near->object), "this one");
}

/// kubernetes/kubernetes pkg/credentialprovider/secrets/secrets.go secretsToTrackedDockerConfigs:
/// other Secrets are passed over without a word.
void pull_secrets(const Pod& pod, CheckContext& context) {
  for (View each : items_at(pod.spec, "imagePullSecrets")) {
    const View name = get(each, "name");
    const Inventory* inventory = string_of(name).empty() ? nullptr : context.inventory();
    if (inventory == nullptr) continue;
    const std::string_view own = string_at(get(context.object(), "metadata"), "namespace");
    const View secret = inventory->find("", "Secret", own, name->text);
    const View type = get(secret, "type");
    const std::string_view word = string_of(type);
    if (!secret) near_pull_secret(name, own, *inventory, context);
    if (!secret || is_encrypted_value(type) || word == "kubernetes.io/dockerconfigjson" ||
        word == "kubernetes.io/dockercfg") {
      continue;
    }
    context
        .lint(name, "Secret " + shown(name->text) + " is of type " +
                        shown(word.empty() ? "Opaque" : word) +
                        ", and holds no login that the kubelet takes")
        .also(context.place(type ? type : get(secret, "metadata")), "the Secret");
  }
}

constexpr Check kChecks[] = {
    {.name = "pull-secret",
     .group = CheckGroup::Secrets,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "Secrets for pulling images are of a type that holds logins, and called so.",
     .source = "kubernetes/kubernetes pkg/credentialprovider/secrets/secrets.go "
               "secretsToTrackedDockerConfigs, called by MakeDockerKeyring",
     .pod = pull_secrets,
     .severity = Severity::Warning,
     .because = "The kubelet ignores other Secrets: images of a private registry are not "
                "pulled, and the pods stay in ImagePullBackOff.",
     .fix = "make it with `kubectl create secret docker-registry`, of type "
            "`kubernetes.io/dockerconfigjson`"},
    {.name = "config-map-key",
     .group = CheckGroup::Core,
     .effect = Effect::NeverRuns,
     .sentence =
         "ConfigMaps among the inputs have the names and keys that pods want of them, and the "
         "files that their commands name.",
     .source = "kubernetes/kubernetes pkg/kubelet/kubelet_pods.go makeEnvironmentVariables; "
               "pkg/volume/configmap/configmap.go MakePayload",
     .pod = config_maps,
     .because =
         "The kubelet does not start a container without the keys that it refers to, and the "
         "volume of a ConfigMap holds its keys alone: the gang waits for the container.",
     .fix = "name an existing key, or mark the reference `optional`"},
    {.name = "secret-key",
     .group = CheckGroup::Secrets,
     .effect = Effect::NeverRuns,
     .sentence = "Secrets among the inputs, or made by them, have the keys that pods want of them.",
     .source = "kubernetes/kubernetes pkg/kubelet/kubelet_pods.go makeEnvironmentVariables; "
               "pkg/volume/secret/secret.go MakePayload",
     .pod = wanted_secrets,
     .because = "The kubelet does not start a container without the keys that it refers to: the "
                "gang waits for it.",
     .fix = "name an existing key, or mark the reference `optional`"},
};

}  // namespace

const std::span<const Check> secret_lints = kChecks;

}  // namespace trainyard
