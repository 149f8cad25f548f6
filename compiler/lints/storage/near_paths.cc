// Paths that are nearly those at which a container mounts its volumes.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "check/check.h"
#include "check/typos.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/mounted_files.h"
#include "shell/command_line.h"
#include "shell/script_commands.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Whether a command, an argument or a variable of a container mentions a path.
bool mentions(View container, std::string_view path) {
  const auto has = [path](View text) {
    return text->is_scalar() && text->text.find(path) != text->text.npos;
  };
  return any_argument(container, has) ||
         std::ranges::any_of(items_at(container, "env"), [&](View each) {
           const View value = get(each, "value");
           return value && has(value);
         });
}

/// Of other volumes the image may have a copy at another path.
bool is_of_values(View volume) {
  return get(volume, "configMap") || get(volume, "secret") || get(volume, "projected");
}

bool has_own_files(const Pod& pod, std::string_view name) {
  return std::ranges::any_of(items_at(pod.spec, "volumes"), [name](View volume) {
    return string_at(volume, "name") == name && is_of_values(volume);
  });
}

/// A word that is a whole path, and not a pattern or one of several in a list.
std::string_view read_path(const ShellWord& word) {
  const std::string_view text = word.text;
  const bool is_plain = text.starts_with('/') && text.size() > 4 &&
                        text.find_first_of("$*?[]{}<>|&;()\"'`, \n") == text.npos;
  return is_plain ? text : std::string_view();
}

void check_container(const Pod& pod, View container, CheckContext& context) {
  const ShellWords words = command_words(container);
  for (View mount : items_at(container, "volumeMounts")) {
    std::string_view path = string_at(mount, "mountPath");
    while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
    if (path.size() < 4 || !has_own_files(pod, string_at(mount, "name"))) continue;
    if (get(mount, "subPath") || mentions(container, path)) continue;
    for (const ShellWord& word : words) {
      const std::string_view text = read_path(word);
      if (text.empty() || mounted_path(pod, container, text)) continue;
      const std::string_view folder = text.substr(0, text.rfind('/'));
      if (!is_typo_of_name(folder, path)) continue;
      if (contains_text(container, "mkdir -p " + std::string(folder))) continue;
      context
          .lint(word.at,
                "nothing is mounted at " + shown(folder) + "; did you mean " + shown(path) + "?")
          .also(context.place(get(mount, "mountPath")), "the mount");
      return;
    }
  }
}

/// `/keys/id_rsa` beside a volume `keys` that no container mounts.
void check_unmounted(const Pod& pod, CheckContext& context) {
  for (View volume : items_at(pod.spec, "volumes")) {
    const std::string_view name = string_at(volume, "name");
    if (name.size() < 3 || !is_of_values(volume)) continue;
    const bool is_mounted = std::ranges::any_of(pod.containers, [&](const PodContainer& each) {
      const Items mounts = items_at(each.node, "volumeMounts");
      return std::any_of(mounts.begin(), mounts.end(),
                         [&](View mount) { return string_at(mount, "name") == name; });
    });
    if (is_mounted) continue;
    const std::string folder = "/" + std::string(name) + "/";
    for (const PodContainer& each : pod.containers) {
      const ShellWords words = command_words(each.node);
      const auto word = std::ranges::find_if(words, [&](const ShellWord& one) {
        return read_path(one).starts_with(folder) && !mounted_path(pod, each.node, one.text);
      });
      if (word == words.end()) continue;
      context
          .lint(word->at, "nothing is mounted at " + shown(folder) +
                              ", and no container mounts volume " + shown(name))
          .also(context.place(get(volume, "name")), "the volume");
      return;
    }
  }
}

void near_paths(const Pod& pod, CheckContext& context) {
  if (pod.has(kAddsContainers) || pod.has(kAddsVolumes)) return;
  if (std::ranges::none_of(items_at(pod.spec, "volumes"), is_of_values)) return;
  const std::size_t before = context.findings();
  for (const PodContainer& each : pod.containers) check_container(pod, each.node, context);
  if (context.findings() == before) check_unmounted(pod, context);
}

constexpr Check kChecks[] = {
    {.name = "near-mount-path",
     .group = CheckGroup::Storage,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "Files of ConfigMaps and Secrets are read where they are mounted.",
     .source = "kubernetes/website content/en/docs/concepts/storage/volumes.md",
     .pod = near_paths,
     .severity = Severity::Warning,
     .because = "There is no such file: the program ends with an error.",
     .fix = "mount the volume at the folder that the command names"},
};

}  // namespace

const std::span<const Check> near_path_lints = kChecks;

}  // namespace trainyard
