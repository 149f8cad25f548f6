#include "editor/workspace.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "driver/session/config.h"
#include "editor/fleet_place.h"

namespace trainyard {
namespace {

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
