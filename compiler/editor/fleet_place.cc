#include "editor/fleet_place.h"

#include <algorithm>

#include "editor/open_documents.h"
#include "source/glob.h"
#include "spec/fleet_document.h"

namespace trainyard {
namespace {

/// `path` is below the folder of the Fleet. A pattern without `*` and `?` is a file or a folder.
bool fits(std::string_view written, std::string_view path) {
  std::string pattern = normal_path(written);
  while (pattern.ends_with('/')) pattern.pop_back();
  if (pattern.find_first_of("*?") != std::string::npos) return fits_glob(pattern, path);
  if (pattern == ".") return true;
  return path.starts_with(pattern) &&
         (path.size() == pattern.size() || path[pattern.size()] == '/');
}

bool any_fits(const TextList& patterns, std::string_view path) {
  return std::ranges::any_of(*patterns, [&](const Text& each) { return fits(*each, path); });
}

}  // namespace

FleetPlace fleet_place(Session& session, const std::string& fleet, const std::string& spec) {
  FleetPlace place;
  const std::string folder = folder_of(fleet);
  if (!spec.starts_with(folder)) return place;
  const std::string_view path = std::string_view(spec).substr(folder.size());
  Sink ignored;
  const FileId file = read_source(fleet, session.env, session.sources, ignored, session.limits);
  if (file == kNoFile) return place;
  const std::vector<Tree> trees = read_yaml(session.sources, file, ignored, session.limits);
  const auto found = std::ranges::find_if(trees, [](const Tree& tree) {
    const View root(tree, tree.root());
    return root["apiVersion"].text().starts_with("trainyard/") && root["kind"].text() == "Fleet";
  });
  if (found == trees.end()) return place;
  const SchemaKind* const kind = session.schemas.find("trainyard/v1alpha1", "Fleet");
  if (!session.checker.check(kind->schema, *found, found->root()).empty()) return place;
  const Fleet document = decode_fleet(*found, found->root(), ignored);
  const auto add = [&](const TextList& overlays) {
    for (const Text& each : *overlays) place.overlays.push_back(folder + std::string(*each));
  };
  for (const auto& cluster : *document.spec->clusters) {
    if (!any_fits(cluster->specs, path)) continue;
    place.cluster = folder + std::string(*cluster->file);
    add(cluster->overlays);
    break;
  }
  if (place.cluster.empty()) return place;
  for (const auto& team : *document.spec->teams) {
    if (any_fits(team->specs, path)) add(team->overlays);
  }
  return place;
}

}  // namespace trainyard
