#include "editor/workspace_texts.h"

#include <algorithm>
#include <utility>

#include "driver/session/inputs.h"
#include "editor/name_places.h"

namespace trainyard {

std::vector<std::string> workspace_files(Workspace& workspace, const OpenDocument& document) {
  std::vector<std::string> folders = workspace.folders;
  if (folders.empty()) folders.push_back(folder_of(document.path));
  EditorRun run(workspace, document.path);
  Sink ignored;  // a folder that is gone has no files
  std::vector<std::string> files;
  for (const InputPart& each : input_files(folders, run.env, ignored)) {
    files.push_back(normal_path(each.path));
    if (files.size() == kMostSearchedFiles) break;
  }
  for (const auto& [uri, open] : workspace.documents.all()) files.push_back(open.path);
  std::ranges::sort(files);
  const auto again = std::ranges::unique(files);
  files.erase(again.begin(), again.end());
  return files;
}

std::string text_of_file(Workspace& workspace, const std::string& path) {
  return workspace.documents.read(path, ReadLimits().bytes).text;
}

bool is_spec(const Outline& outline, std::uint32_t document) {
  return outline.heading(document, "kind").starts_with("TrainingJob") &&
         outline.heading(document, "apiVersion").starts_with("trainyard/");
}

std::vector<std::string> extended_files(const Outline& outline, const std::string& path) {
  std::vector<std::string> files;
  for (std::uint32_t node = 0; node < outline.nodes().size(); ++node) {
    const auto name = name_at(outline, node, false);
    if (!name || name->sort != NameSort::File || name->name.empty()) continue;
    const auto steps = outline.path(node);
    if (outline.key(steps.front()) != "extends" || !is_spec(outline, outline.document_of(node))) {
      continue;
    }
    const std::string file(name->name);
    files.push_back(normal_path(file.starts_with('/') ? file : folder_of(path) + file));
  }
  return files;
}

}  // namespace trainyard
