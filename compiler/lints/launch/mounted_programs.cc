// What containers start, read and write on volumes that are mounted into them.

#include "lints/launch/mounted_programs.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "diag/words.h"
#include "manifest/launches.h"
#include "manifest/mounted_files.h"
#include "shell/command_line.h"
#include "shell/launchers.h"
#include "shell/script_commands.h"
#include "shell/shell_words.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// The bits of a file that a volume makes of values, and what says them: a mode, or the source of
/// the volume, which says nothing.
struct FileMode {
  std::int64_t bits = 0;
  View at;
  bool is_stated = false;

  std::string label() const {
    return is_stated ? "their mode" : "`defaultMode` is 0644 where it is left out";
  }
};

/// The mode that an item gives to a file; an empty view for none.
View mode_of_item(View source, std::string_view file) {
  for (View item : items_at(source, "items")) {
    if (integer_of(get(item, "mode")) && string_at(item, "path") == file) return get(item, "mode");
  }
  return {};
}

/// Nothing for volumes that are not made of values.
std::optional<FileMode> file_mode(const MountedPath& path) {
  constexpr std::int64_t kDefault = 0644;
  for (std::string_view kind : {"configMap", "secret", "projected"}) {
    const View source = get(path.volume, kind);
    if (!source) continue;
    View own = mode_of_item(source, path.below);
    for (View part : items_at(source, "sources")) {
      for (std::string_view of_part : {"secret", "configMap"}) {
        if (!own) own = mode_of_item(get(part, of_part), path.below);
      }
    }
    if (own) return FileMode{*integer_of(own), own, true};
    const View stated = get(source, "defaultMode");
    if (stated && !integer_of(stated)) return std::nullopt;  // no mode, as the schema says
    return FileMode{integer_of(stated).value_or(kDefault), stated ? stated : source,
                    static_cast<bool>(stated)};
  }
  return std::nullopt;
}

/// `[ -x FILE ] && FILE`: it is started only where it can be.
bool is_looked_for(std::string_view script, std::string_view file) {
  for (std::size_t at = script.find(file); at != script.npos; at = script.find(file, at + 1)) {
    std::string_view before = script.substr(0, at);
    while (before.ends_with('"')) before.remove_suffix(1);
    const bool is_asked = before.ends_with("-x ") || before.ends_with("-f ") ||
                          before.ends_with("-e ") || before.ends_with("-s ");
    if (is_asked) return true;
  }
  return false;
}

/// The programs that a container starts by their paths: its own, and those of its script.
std::vector<OptionValue> started_programs(View container) {
  std::vector<OptionValue> found;
  const Items command = items_at(container, "command");
  if (command.begin() == command.end()) return found;
  const std::vector<View> arguments = arguments_of(container);
  const View script = script_of(arguments);
  const std::string_view text = string_of(script);
  if (!script) {
    const std::size_t at = place_of_program(arguments);
    const View program = at < arguments.size() ? arguments[at] : View();
    if (string_of(program).starts_with('/')) {
      found.push_back({std::string(string_of(program)), program});
    }
    return found;
  }
  // Texts of other files, and items of arrays, are no commands.
  if (text.find("<<") != text.npos || text.find("=(") != text.npos) return found;
  each_command(argument_words({script}), [&](std::span<const ShellWord> words) {
    const std::size_t at = place_of_program(words);
    if (at >= words.size() || !words[at].text.starts_with('/')) return;
    if (is_looked_for(text, words[at].text)) return;
    found.push_back({std::string(words[at].text), words[at].at});
  });
  return found;
}

/// The file that a shell is given as its script; "" where it is given none.
OptionValue file_of_shell(View container) {
  const std::vector<View> words = arguments_of(container);
  const std::size_t shell = place_of_program(words);
  if (shell >= words.size() || !is_shell(string_of(words[shell]))) return {};
  const ShellCall call = shell_call(words, shell);
  if (call.by_option || call.script >= words.size()) return {};
  return {std::string(string_of(words[call.script])), words[call.script]};
}

/// A volume made of values that is mounted under the name of a file is a folder of that name.
bool is_folder_of_values(const MountedPath& path) {
  return path.below.empty() && (get(path.volume, "configMap") || get(path.volume, "secret"));
}

void tell_of_folder(const OptionValue& file, const MountedPath& path, CheckContext& context) {
  context
      .lint(file.at, shown(file.text) + " is a folder: volume " +
                         shown(string_at(path.volume, "name")) +
                         " is mounted there as a whole, without `subPath`")
      .also(context.place(get(path.mount, "mountPath")), "mounted here");
}

}  // namespace

void check_script_mode(const Pod& pod, CheckContext& context) {
  const bool any = std::ranges::any_of(items_at(pod.spec, "volumes"), [](View volume) {
    return get(volume, "configMap") || get(volume, "secret");
  });
  if (!any) return;
  for (const PodContainer& each : pod.containers) {
    const OptionValue script = file_of_shell(each.node);
    if (const auto path = mounted_path(pod, each.node, script.text);
        path && is_folder_of_values(*path)) {
      tell_of_folder(script, *path, context);
    }
    for (const OptionValue& program : started_programs(each.node)) {
      const auto path = mounted_path(pod, each.node, program.text);
      if (path && is_folder_of_values(*path)) {
        tell_of_folder(program, *path, context);
        continue;
      }
      const auto mode = path && !path->below.empty() ? file_mode(*path) : std::nullopt;
      if (!mode || (mode->bits & 0111) != 0) continue;
      context
          .lint(program.at, shown(program.text) + " is a file of volume " +
                                shown(string_at(path->volume, "name")) +
                                ", whose files have no permission to execute")
          .also(context.place(mode->at), mode->label());
    }
  }
}

namespace {

/// The program of a container, or the script that its interpreter reads, as a path; "" where it is
/// not known.
OptionValue program_path(View container) {
  const std::vector<View> words = arguments_of(container);
  std::size_t at = place_of_program(words);
  if (at >= words.size() || is_shell(string_of(words[at]))) return {};
  std::string_view text = string_of(words[at]);
  if (text.starts_with('/')) return {std::string(text), words[at]};
  if (!program_name(text).starts_with("python") && text != "torchrun") return {};
  for (++at; at < words.size(); ++at) {
    text = string_of(words[at]);
    if (text == "-m" || text == "-c" || text == "--module") return {};
    if (!text.ends_with(".py")) continue;
    const std::string_view folder = string_at(container, "workingDir");
    if (text.starts_with('/')) return {std::string(text), words[at]};
    if (folder.empty() || text.starts_with('.')) return {};
    return {std::string(folder) + "/" + std::string(text), words[at]};
  }
  return {};
}

}  // namespace

/// No volume has what images have at these places. A node has, by `hostPath`.
static void hidden_system(const PodContainer& container, const Pod& pod, CheckContext& context) {
  constexpr auto kPlaces = std::to_array<std::string_view>(
      {"/", "/bin", "/sbin", "/usr", "/usr/bin", "/usr/lib", "/lib", "/lib64", "/etc"});
  for (View mount : items_at(container.node, "volumeMounts")) {
    std::string_view path = string_at(mount, "mountPath");
    if (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
    if (std::ranges::find(kPlaces, path) == kPlaces.end() || get(mount, "subPath")) continue;
    const Items volumes = items_at(pod.spec, "volumes");
    const bool is_of_node = std::ranges::any_of(volumes, [&](View each) {
      return string_at(each, "name") == string_at(mount, "name") && get(each, "hostPath");
    });
    if (is_of_node) continue;
    const bool is_root = path == "/";
    context.lint(
        get(mount, "mountPath"),
        "volume " + shown(string_at(mount, "name")) + " hides " +
            (is_root ? std::string("the whole image") : "what the image has at " + shown(path)),
        is_root ? Severity::Error : Severity::Warning);
  }
}

/// A volume that is empty when the pod starts hides what the image has at that place. Others may
/// fill it: containers that mount it too, and what runs in this one before its program.
void check_hidden_program(const Pod& pod, CheckContext& context) {
  if (pod.has(kAddsContainers) || pod.has(kAddsVolumes)) return;
  for (const PodContainer& each : pod.containers) {
    if (each.role == ContainerRole::Regular) hidden_system(each, pod, context);
    if (get(each.node, "lifecycle") || !has_items(get(each.node, "command"))) continue;
    const OptionValue program = program_path(each.node);
    const auto path =
        program.text.empty() ? std::nullopt : mounted_path(pod, each.node, program.text);
    if (!path || !get(path->volume, "emptyDir")) continue;
    const std::string_view name = string_at(path->volume, "name");
    const bool is_shared = std::ranges::any_of(pod.containers, [&](const PodContainer& other) {
      if (other.node.id() == each.node.id()) return false;
      return std::ranges::any_of(items_at(other.node, "volumeMounts"),
                                 [&](View mount) { return string_at(mount, "name") == name; });
    });
    if (is_shared) continue;
    context
        .lint(program.at, shown(program.text) + " is in volume " + shown(name) +
                              ", which is empty when the container starts: what the image has "
                              "there is hidden")
        .also(context.place(get(path->mount, "mountPath")), "mounted here");
  }
}

namespace {

/// Volumes that the kubelet makes of values.
constexpr auto kMadeOfValues =
    std::to_array<std::string_view>({"configMap", "secret", "downwardAPI", "projected"});

/// Whether the mount is read-only for all.
bool is_read_only(const MountedPath& path) {
  if (is_true(get(path.mount, "readOnly"))) return true;
  for (View source : Items(path.volume)) {
    if (source->is_map() && is_true(get(source, "readOnly"))) return true;
  }
  return std::ranges::any_of(kMadeOfValues, [&](std::string_view kind) {
    return static_cast<bool>(get(path.volume, kind));
  });
}

/// Whether this word names a folder for a program to write into.
bool names_output(std::string_view word) {
  constexpr std::string_view kNames[] = {"output-dir", "output-path",     "save",     "save-dir",
                                         "save-path",  "tensorboard-dir", "local-dir"};
  return word.starts_with("--") && std::ranges::find(kNames, kebab_name(word)) != std::end(kNames);
}

/// Where `aws s3 cp SOURCE TARGET` writes to; an empty one for another word.
OptionValue target_of_copy(std::span<const ShellWord> words, std::size_t at) {
  constexpr auto kCopies = std::to_array<std::string_view>({"cp", "sync", "mv"});
  const bool is_copy = words[at].text == "s3" && at + 1 < words.size() &&
                       std::ranges::find(kCopies, words[at + 1].text) != kCopies.end();
  if (!is_copy) return {};
  int places = 0;
  for (std::size_t i = at + 2; i < words.size() && words[i].text != "\n"; ++i) {
    const std::string_view word = words[i].text;
    const bool is_place = word.starts_with("s3://") || word.starts_with('/');
    if (is_place && ++places == 2) return {std::string(word), words[i].at};
  }
  return {};
}

/// Where `cp A TARGET`, `tee TARGET` and the like write to; an empty one for another command.
OptionValue target_of_command(std::span<const ShellWord> words, std::size_t at) {
  constexpr auto kWriters = std::to_array<std::string_view>({"cp", "mv", "tee", "touch", "mkdir"});
  const bool begins = at == 0 || words[at - 1].text == "\n" || !words[at - 1].is_in_script;
  const bool writes = begins && std::ranges::find(kWriters, words[at].text) != kWriters.end();
  if (!writes || !words[at].is_in_script) return {};
  std::size_t last = at;
  while (last + 1 < words.size() && words[last + 1].text != "\n") ++last;
  const std::string_view target = words[last].text;
  if (last == at || !target.starts_with('/')) return {};
  return {std::string(target), words[last].at};
}

/// Whether a script writes files by commands, and none of them may fail.
bool may_copy(View container) {
  static constexpr std::string_view kCopy = "cp ", kMove = "mv ", kTee = "tee ", kMake = "mkdir ",
                                    kTouch = "touch ", kOr = "||", kErrors = "2>";
  if (contains_text(container, kOr) || contains_text(container, kErrors)) return false;
  return contains_text(container, kCopy) || contains_text(container, kMove) ||
         contains_text(container, kTee) || contains_text(container, kMake) ||
         contains_text(container, kTouch);
}

/// A glance before the arguments are split, at what the names of all those options have.
bool may_name_output(View container) {
  static constexpr std::string_view kOutput = "output", kSave = "save", kBoard = "tensorboard",
                                    kLocal = "local", kBucket = "s3";
  return contains_text(container, kOutput) || contains_text(container, kSave) ||
         contains_text(container, kBoard) || contains_text(container, kLocal) ||
         contains_text(container, kBucket) || may_copy(container);
}

/// The same at the volumes of a pod, and at the mounts of a container.
bool may_be_read_only(const Pod& pod, View container) {
  const auto is_made = [](View volume) {
    return std::ranges::any_of(
               kMadeOfValues,
               [&](std::string_view kind) { return static_cast<bool>(get(volume, kind)); }) ||
           std::ranges::any_of(Items(volume), [](View source) {
             return source.kind() == Kind::Map && get(source, "readOnly");
           });
  };
  return std::ranges::any_of(
             items_at(container, "volumeMounts"),
             [](View mount) { return static_cast<bool>(get(mount, "readOnly")); }) ||
         std::ranges::any_of(items_at(pod.spec, "volumes"), is_made);
}

}  // namespace

void check_read_only_output(const Pod& pod, CheckContext& context) {
  for (const PodContainer& each : pod.containers) {
    if (!may_be_read_only(pod, each.node) || !may_name_output(each.node)) continue;
    const ShellWords words = command_words(each.node);
    const bool copies = may_copy(each.node);
    for (std::size_t i = 0; i < words.size(); ++i) {
      OptionValue target = target_of_copy(words, i);
      if (!target && copies) target = target_of_command(words, i);
      if (!target && names_output(words[i].text)) target = value_at(words, i);
      const std::string& folder = target.text;
      const auto path = folder.empty() ? std::nullopt : mounted_path(pod, each.node, folder);
      if (!path || !is_read_only(*path)) continue;
      context
          .lint(words[i].at, shown(folder) + " is to be written to, and is in volume " +
                                 shown(string_at(path->volume, "name")) +
                                 ", which is mounted for reading only")
          .also(context.place(get(path->mount, "mountPath")), "mounted here");
    }
  }
}

namespace {

/// A Secret of a volume: its own, or the one among its parts.
View secret_of(View volume) {
  for (View part : items_at(get(volume, "projected"), "sources")) {
    if (const View secret = get(part, "secret")) return secret;
  }
  return get(volume, "secret");
}

/// Whether a container starts what may log in to other pods, for which it needs a private key.
bool logs_in(View container) {
  return std::ranges::any_of(launches_in(container, {}), [](const Launch& each) {
    return each.channel == Channel::Ssh || each.program == "mpirun";
  });
}

/// Whether a volume of a Secret makes the file: its items say so, or the Secret does.
bool makes_file(const MountedPath& path, View source, CheckContext& context) {
  if (has_items(get(source, "items"))) {
    return std::ranges::any_of(items_at(source, "items"),
                               [&](View item) { return string_at(item, "path") == path.below; });
  }
  const Inventory* inventory = context.inventory();
  if (inventory == nullptr) return false;
  const View secret =
      inventory->find("", "Secret", string_at(get(context.object(), "metadata"), "namespace"),
                      string_at(source, get(path.volume, "secret") ? "secretName" : "name"));
  return get(get(secret, "data"), path.below) || get(get(secret, "stringData"), path.below);
}

}  // namespace

/// openssh/openssh-portable authfile.c sshkey_perm_ok: of keys of another user, as those of a
/// Secret are for all but root, the mode does not matter. A group for the volumes changes modes.
static void copied_keys(const Pod& pod, View container, CheckContext& context) {
  static constexpr std::string_view kKeys = "/.ssh", kModes = "chmod", kInstall = "install ",
                                    kMask = "umask", kStrict = "StrictModes";
  if (!contains_text(container, kKeys)) return;
  if (contains_text(container, kModes) || contains_text(container, kInstall) ||
      contains_text(container, kMask) || contains_text(container, kStrict)) {
    return;
  }
  each_command(command_words(container), [&](std::span<const ShellWord> words) {
    if (words.size() != 3 || words[0].text != "cp") return;
    const std::string_view name = program_name(words[1].text);
    const bool is_key = name.starts_with("id_") && !name.ends_with(".pub");
    if (!is_key || words[2].text.find("/.ssh") == std::string_view::npos) return;
    const auto path = mounted_path(pod, container, words[1].text);
    const View secret = path ? secret_of(path->volume) : View();
    const auto mode = secret ? file_mode(*path) : std::nullopt;
    if (!mode || (mode->bits & 077) == 0) return;
    context
        .lint(words[0].at, "ssh takes no key that others may read, and `cp` keeps the mode of " +
                               shown(words[1].text))
        .also(context.place(mode->at), mode->label());
  });
}

void check_ssh_key_mode(const Pod& pod, CheckContext& context) {
  if (get(get(pod.spec, "securityContext"), "fsGroup")) return;
  const bool any = std::ranges::any_of(items_at(pod.spec, "volumes"), [](View volume) {
    return static_cast<bool>(secret_of(volume));
  });
  if (!any) return;
  for (const PodContainer& each : pod.containers) {
    if (other_user(pod, each.node)) continue;
    copied_keys(pod, each.node, context);
    for (std::string_view key : {"id_rsa", "id_ecdsa", "id_ed25519"}) {
      const auto path = mounted_path(pod, each.node, "/root/.ssh/" + std::string(key));
      const View secret = path ? secret_of(path->volume) : View();
      if (!secret || path->below.empty()) continue;
      const auto mode = file_mode(*path);
      if (!mode || (mode->bits & 077) == 0) continue;
      const bool is_whole = !has_items(get(secret, "items"));
      if (!makes_file(*path, secret, context) && !(is_whole && logs_in(each.node))) continue;
      context
          .lint(get(path->mount, "mountPath"), "ssh takes no key that others may read, and " +
                                                   shown("/root/.ssh/" + std::string(key)) +
                                                   " is such a one")
          .also(context.place(mode->at), mode->label());
      break;
    }
  }
}

}  // namespace trainyard
