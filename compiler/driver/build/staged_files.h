#pragma once

#include <vector>

#include "driver/session/inputs.h"
#include "driver/session/session.h"

namespace trainyard {

/// Reads the files that the spec stages: literal ones, and local ones relative to the spec's file.
/// A directory stands for all files below it; `*`, `?` and `**` match as in fits_glob. In the order
/// of their paths. What is missing is an error at its place in the spec.
void load_staged_files(Session& session, const Document& document, const TrainingJob& job,
                       std::vector<LoadedFile>& out);

}  // namespace trainyard
