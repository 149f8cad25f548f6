#pragma once

#include <span>
#include <string>
#include <string_view>

#include "diag/diagnostic.h"
#include "source/source_map.h"

namespace trainyard {

/// Human-readable text, as clang and rustc print it:
///
///     job.yaml:2:3: error: unknown field `gpuPerNode` [unknown-field]
///      2 |   gpuPerNode: 8
///        |   ^^^^^^^^^^ not a field of spec
///        = field: spec.gpuPerNode
///        = help: write `gpusPerNode`
///      2 -   gpuPerNode: 8
///      2 +   gpusPerNode: 8
///
/// Lines of more than 100 columns are cut around the mark. Control characters and bytes that are
/// not UTF-8 are shown as something visible, wherever they come from; secrets as `••••` (see
/// Redaction). `colour` adds ANSI escapes
/// and changes nothing else.
std::string render_text(std::span<const Diagnostic> diagnostics, const SourceMap& sources,
                        bool colour);

/// One JSON document with the same fields, in ASCII and without secrets:
///
///     {"version": 1, "diagnostics": [{"kind", "check", "severity", "effect", "message",
///       "file", "start": {"line", "column", "offset"}, "end", "path", "label",
///       "labels": [{"file", "start", "end", "text"}], "notes": [],
///       "fixes": [{"file", "start", "end", "replacement", "text"}]}]}
///
/// Lines and columns (code points) count from one, offsets are bytes from zero, `end` is behind the
/// last character. Every key is always there; `file`, `start` and `end` are null without a place.
std::string render_json(std::span<const Diagnostic> diagnostics, const SourceMap& sources);
/// The JSON Schema (draft 7) of that.
std::string_view report_schema();

}  // namespace trainyard
