#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "editor/workspace.h"
#include "editor/yaml_outline.h"

namespace trainyard {

/// The YAML files of the client's folders, without hidden ones and what the config excludes, and
/// all that is open. Sorted. Without a folder, those of the folder of `document`.
std::vector<std::string> workspace_files(Workspace& workspace, const OpenDocument& document);

/// The text of a file, in the editor or on the disk; empty where it cannot be read.
std::string text_of_file(Workspace& workspace, const std::string& path);

/// The files that a TrainingJob or a layer extends, by absolute paths.
std::vector<std::string> extended_files(const Outline& outline, const std::string& path);

/// Whether a document is a TrainingJob or a layer of one.
bool is_spec(const Outline& outline, std::uint32_t document);

}  // namespace trainyard
