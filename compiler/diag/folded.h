#pragma once

#include <span>
#include <vector>

#include "diag/diagnostic.h"
#include "source/source_map.h"

namespace trainyard {

/// For people: where many findings are alike and no errors, the first three, and a note at the end
/// with how many more there are and in which files. Errors all stay.
std::vector<Diagnostic> folded(std::span<const Diagnostic> diagnostics, const SourceMap& sources);

}  // namespace trainyard
