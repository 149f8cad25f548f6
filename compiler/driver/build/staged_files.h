#pragma once

#include <vector>

#include "driver/session/inputs.h"
#include "driver/session/session.h"

namespace trainyard {

/// Reads the files that the spec stages: literal ones, and local ones relative to the spec's file.
/// A directory stands for all files below it; `*`, `?` and `**` match as in a shell. In the order
/// of their paths. What is missing is an error at its place in the spec.
void load_staged_files(Session& session, const Document& document, const TrainingJob& job,
                       std::vector<LoadedFile>& out);

/// Whether a path matches a pattern: `*` and `?` stay within one directory, `**` does not.
bool path_matches(std::string_view pattern, std::string_view path);

}  // namespace trainyard
