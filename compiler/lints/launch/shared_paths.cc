// Volumes that the containers of a pod see at different places.

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/mounted_files.h"
#include "shell/command_line.h"
#include "shell/script_commands.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Volumes that hold what containers write.
bool is_for_files(View volume) {
  return get(volume, "emptyDir") || get(volume, "persistentVolumeClaim") ||
         get(volume, "ephemeral");
}

/// A path of its own in a word, or behind its `=`; "" for none.
std::string_view path_in(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (word.starts_with("--") && equals != word.npos) word.remove_prefix(equals + 1);
  const bool is_plain = word.find_first_of("$*?[]{}:<>|&;()\"'`, ") == word.npos;
  return word.starts_with('/') && is_plain ? word : std::string_view();
}

/// Where a container mounts the volume of another mount; an empty view for nowhere.
View own_mount(View container, std::string_view volume) {
  for (View mount : items_at(container, "volumeMounts")) {
    if (string_at(mount, "name") == volume && !get(mount, "subPath")) return mount;
  }
  return {};
}

struct WrittenPath {
  std::string path;
  View mount;
};

/// The paths below its mounts that an init container speaks of.
std::vector<WrittenPath> written_paths(const Pod& pod, View container) {
  std::vector<WrittenPath> found;
  for (const ShellWord& word : command_words(container)) {
    const std::string path(path_in(word.text));
    const auto place = path.empty() ? std::nullopt : mounted_path(pod, container, path);
    if (!place || place->below.empty() || !is_for_files(place->volume)) continue;
    if (get(place->mount, "subPath") || get(place->mount, "readOnly")) continue;
    found.push_back({path, place->mount});
  }
  return found;
}

bool is_remote(std::string_view word) {
  return word.starts_with("s3://") || word.starts_with("gs://") || word.starts_with("https://") ||
         word.starts_with("http://") || word.starts_with("git@");
}

/// Where `aws s3 sync s3://b /data` and `git clone URL /src` write to, by the word behind the
/// source; an empty word for other commands.
OptionValue target_of_fetch(std::span<const ShellWord> command) {
  constexpr auto programs = std::to_array<std::string_view>(
      {"aws", "git", "clone", "gsutil", "gcloud", "rclone", "s5cmd"});
  if (std::ranges::find(programs, program_name(command[0].text)) == programs.end()) return {};
  for (std::size_t i = 1; i + 1 < command.size(); ++i) {
    if (!is_remote(command[i].text)) continue;
    const std::string_view path = path_in(command[i + 1].text);
    if (!path.empty()) return {std::string(path), command[i + 1].at};
  }
  return {};
}

/// What an init container fetches to a place of its own is gone when it ends.
void lost_files(const Pod& pod, CheckContext& context) {
  for (const PodContainer& each : pod.containers) {
    if (each.role == ContainerRole::Regular) continue;
    if (string_at(each.node, "restartPolicy") == "Always") continue;
    const ShellWords words = command_words(each.node);
    each_command(words, [&](std::span<const ShellWord> command) {
      const OptionValue target = target_of_fetch(command);
      if (!target || mounted_path(pod, each.node, target.text)) return;
      const auto speaks = std::ranges::count_if(words, [&](const ShellWord& word) {
        return word.text.find(target.text) != std::string_view::npos;
      });
      if (speaks > 1) return;  // something else is done with it
      context.lint(target.at, shown(target.text) +
                                  " is on no volume: what this container fetches "
                                  "is gone when it ends");
    });
  }
}

/// A path that an init container fills, and that a container names which has the volume elsewhere.
void shared_paths(const Pod& pod, CheckContext& context) {
  if (pod.has(kAddsContainers) || pod.has(kAddsVolumes)) return;
  if (!has_items(get(pod.spec, "initContainers"))) return;
  lost_files(pod, context);
  for (const PodContainer& first : pod.containers) {
    if (first.role == ContainerRole::Regular) continue;
    for (const WrittenPath& written : written_paths(pod, first.node)) {
      const std::string_view volume = string_at(written.mount, "name");
      for (const PodContainer& each : pod.containers) {
        const View own =
            each.role == ContainerRole::Regular ? own_mount(each.node, volume) : View();
        if (!own || mounted_path(pod, each.node, written.path)) continue;
        const ShellWords words = command_words(each.node);
        const auto named = std::ranges::find_if(
            words, [&](const ShellWord& word) { return path_in(word.text) == written.path; });
        if (named == words.end()) continue;
        context
            .lint(named->at, "volume " + shown(volume) + " with " + shown(written.path) +
                                 " is mounted here at " + shown(string_at(own, "mountPath")))
            .also(context.place(get(own, "mountPath")), "mounted here")
            .also(context.place(get(written.mount, "mountPath")), "where it is filled");
        return;
      }
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "shared-volume-path",
     .group = CheckGroup::Storage,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence =
         "What init containers fetch is on a volume, and others name it by their own mount.",
     .source = "kubernetes/website content/en/docs/tasks/configure-pod-container/"
               "configure-pod-initialization.md",
     .pod = shared_paths,
     .severity = Severity::Warning,
     .because = "Each container has files of its own: the program finds none.",
     .fix = "mount one volume in both, and name the files below its mount"},
};

}  // namespace

const std::span<const Check> shared_path_lints = kChecks;

}  // namespace trainyard
