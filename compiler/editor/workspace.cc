#include "editor/workspace.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "driver/session/config.h"
#include "driver/session/session.h"
#include "editor/open_documents.h"
#include "source/glob.h"
#include "spec/fleet_document.h"

namespace trainyard {
namespace {

/// The name under which the Fleet of a spec is found.
constexpr std::string_view kFleetName = "fleet.yaml";

/// What a Fleet says of one of its specs.
struct FleetPlace {
  std::string cluster;                // path of the first Cluster that lists the spec; "" for none
  std::vector<std::string> overlays;  // of this Cluster, and then of the team
};

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

/// Looks for the spec in the Fleet of a file, without any other spec of it. What is wrong with the
/// Fleet is reported in its own file.
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

FileRead no_standard_input(std::size_t) {
  return {{}, FileError{FileError::Reason::Other, "belongs to the editor"}};
}

/// Files of this name are often something else.
bool holds_cluster(const std::string& path, Env& env) {
  const FileRead read = env.files.read(path, ReadLimits().bytes);
  return !read.error && read.text.find("trainyard/") != std::string::npos &&
         read.text.find("Cluster") != std::string::npos;
}

}  // namespace

EditorRun::EditorRun(Workspace& workspace, const std::string& path)
    : env{workspace.documents, no_standard_input}, session(env) {
  note_directories(env, workspace.folders);
  request.inputs = {path};
  request.as_walked = true;
  workspace.prepare(session, request);
  if (request.cluster.empty()) request.cluster = workspace.cluster;
  if (request.cluster.empty()) take_from_fleet(path);
  if (!request.cluster.empty()) return;
  const std::string found = find_above(path, kClusterName, env, session.roots);
  if (!found.empty() && found != path && holds_cluster(found, env)) request.cluster = found;
}

void EditorRun::take_from_fleet(const std::string& path) {
  const std::string found = find_above(path, kFleetName, env, session.roots);
  if (found.empty() || found == path) return;
  FleetPlace place = fleet_place(session, found, path);
  if (place.cluster.empty() || !may_read(session, found, place.cluster, {})) return;
  request.cluster = std::move(place.cluster);
  std::ranges::move(place.overlays, std::back_inserter(session.layers.overlays));
}

FileId EditorRun::file_of(const std::string& path) const {
  for (FileId file = 0; file < session.sources.size(); ++file) {
    if (session.sources.name(file) == path) return file;
  }
  return kNoFile;
}

}  // namespace trainyard
