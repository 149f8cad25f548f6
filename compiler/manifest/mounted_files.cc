#include "manifest/mounted_files.h"

#include <algorithm>
#include <vector>

#include "manifest/metadata.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

std::string_view without_slash(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return path;
}

bool is_plain(std::string_view path) {
  return path.starts_with('/') && path.find("//") == path.npos && path.find("/../") == path.npos &&
         !path.ends_with("/..") && path.find("/./") == path.npos && !path.ends_with("/.");
}

/// What is behind `folder` in `path`; nothing where it is not below it.
std::optional<std::string_view> behind(std::string_view folder, std::string_view path) {
  folder = without_slash(folder);
  if (folder == "/") return path.substr(1);
  if (!path.starts_with(folder)) return std::nullopt;
  path.remove_prefix(folder.size());
  if (path.empty()) return path;
  if (path.front() != '/') return std::nullopt;
  return path.substr(1);
}

}  // namespace

std::optional<MountedPath> mounted_path(const Pod& pod, View container, std::string_view path) {
  if (!is_plain(path)) return std::nullopt;
  path = without_slash(path);
  View deepest;
  std::string_view rest;
  for (View mount : items_at(container, "volumeMounts")) {
    const auto below = behind(string_at(mount, "mountPath"), path);
    if (!below || string_at(mount, "mountPath").empty()) continue;
    if (deepest && below->size() >= rest.size()) continue;
    deepest = mount;
    rest = *below;
  }
  if (!deepest || get(deepest, "subPathExpr")) return std::nullopt;
  for (View volume : items_at(pod.spec, "volumes")) {
    if (string_at(volume, "name") != string_at(deepest, "name")) continue;
    std::string below(without_slash(string_at(deepest, "subPath")));
    if (!below.empty() && !rest.empty()) below += '/';
    return MountedPath{deepest, volume, below.append(rest)};
  }
  return std::nullopt;
}

bool is_mounted(View container, std::string_view path) {
  return std::ranges::any_of(items_at(container, "volumeMounts"), [path](View mount) {
    const std::string_view folder = string_at(mount, "mountPath");
    return !folder.empty() && behind(folder, path);
  });
}

std::vector<View> config_maps_of(const Inventory& inventory, View object, std::string_view name) {
  std::vector<View> found;
  const std::string_view own = string_at(get(object, "metadata"), "namespace");
  for (View each : inventory.named("", "ConfigMap", name)) {
    const std::string_view its = metadata_namespace(each);
    if (its.empty() || own.empty() || its == own) found.push_back(each);
  }
  return found;
}

View config_map_text(const Inventory& inventory, View object, const MountedPath& path) {
  const View source = get(path.volume, "configMap");
  const std::vector<View> maps = config_maps_of(inventory, object, string_at(source, "name"));
  if (!source || maps.size() != 1) return {};
  std::string_view key = path.below;
  if (has_items(get(source, "items"))) {
    key = {};
    for (View item : items_at(source, "items")) {
      if (string_at(item, "path") == path.below) key = string_at(item, "key");
    }
  }
  return key.empty() ? View() : get(get(maps.front(), "data"), key);
}

}  // namespace trainyard
