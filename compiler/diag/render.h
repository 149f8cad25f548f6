#pragma once

#include <span>
#include <string>

#include "diag/diagnostic.h"
#include "source/source_map.h"

namespace trainyard {

/// Human-readable text: `file:line:column: error: message [kind]`, the line with a caret below it,
/// then labels, notes and fixes. `colour` adds ANSI escapes and changes nothing else.
std::string render_text(std::span<const Diagnostic> diagnostics, const SourceMap& sources,
                        bool colour);

/// One JSON document with the same fields: `{"version": 1, "diagnostics": [...]}`.
std::string render_json(std::span<const Diagnostic> diagnostics, const SourceMap& sources);

}  // namespace trainyard
