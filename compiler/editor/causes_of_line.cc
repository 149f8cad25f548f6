#include "editor/causes_of_line.h"

#include <algorithm>
#include <optional>
#include <set>

#include "driver/why/known_causes.h"
#include "editor/file_uri.h"
#include "emit/artifact.h"

namespace trainyard {
namespace {

/// Every cause of the values on a line; nothing where no map of causes is beside the file.
std::optional<Provenance> causes_of(Workspace& workspace, const OpenDocument& document,
                                    std::size_t line) {
  FileSystem& files = workspace.documents;
  if (!document.text.starts_with(kHeader)) return std::nullopt;
  if (!files.exists(document.path + std::string(kProvenanceSuffix))) return std::nullopt;
  EditorRun run(workspace, document.path);
  run.session.sink.clear();  // whatever is wrong elsewhere
  const auto known = load_causes(run.session, {document.path, "", ""});
  if (!known) return std::nullopt;
  Provenance found;
  for (const ProvenanceEntry* each : at_line(known->causes, static_cast<std::uint32_t>(line) + 1)) {
    found.push_back(*each);
  }
  return found;
}

/// The path of a file that a map names: from where the build was called, which the map does not
/// say. So it is looked for from the folder of the output upward.
std::optional<std::string> file_of_cause(FileSystem& files, const std::string& output,
                                         const std::string& name) {
  if (name.empty()) return std::nullopt;
  if (name.starts_with('/')) return files.exists(name) ? std::optional(name) : std::nullopt;
  std::string folder = output;
  while (!folder.empty()) {
    folder.erase(folder.rfind('/') == std::string::npos ? 0 : folder.rfind('/'));
    const std::string path = normal_path(folder + "/" + name);
    if (files.exists(path)) return path;
  }
  return std::nullopt;
}

}  // namespace

std::string causes_text(Workspace& workspace, const OpenDocument& document, std::size_t line) {
  const auto causes = causes_of(workspace, document, line);
  std::string text;
  if (!causes) return text;
  for (const ProvenanceEntry& entry : *causes) {
    text += (text.empty() ? "" : "\n") + std::string("`") + entry.path + "` comes from\n";
    for (const Cause& cause : entry.causes) {
      text += "\n" + std::string(2UL * std::min(cause.depth, 4U), ' ') + "- " + cause.kind;
      if (!cause.name.empty()) text += " `" + cause.name + "`";
      if (!cause.file.empty()) text += " " + cause.file + ":" + std::to_string(cause.line);
    }
    text += '\n';
  }
  return text;
}

std::vector<Json> causes_places(Workspace& workspace, const OpenDocument& document,
                                std::size_t line) {
  std::vector<Json> places;
  const auto causes = causes_of(workspace, document, line);
  if (!causes) return places;
  std::set<std::string> seen;
  for (const ProvenanceEntry& entry : *causes) {
    for (const Cause& cause : entry.causes) {
      const auto path = file_of_cause(workspace.documents, document.path, cause.file);
      if (!path || !seen.insert(*path + ":" + std::to_string(cause.line)).second) continue;
      const EditorPosition at{cause.line == 0 ? 0 : cause.line - 1,
                              cause.column == 0 ? 0 : cause.column - 1};
      places.push_back(
          {{"uri", uri_of_path(*path)}, {"range", {{"start", to_json(at)}, {"end", to_json(at)}}}});
    }
  }
  return places;
}

}  // namespace trainyard
