#pragma once

#include <span>
#include <string>
#include <string_view>

#include "diag/diagnostic.h"
#include "source/source_map.h"

namespace trainyard {

// Diagnostics in the forms that other programs read, without secrets. `render.h` has our own.

/// One SARIF 2.1.0 log (OASIS sarif-v2.1.0) with one run: a rule for each check that found
/// something, and for each kind of the rest; a result for each diagnostic. Columns count code
/// points. `version` is that of this program.
std::string render_sarif(std::span<const Diagnostic> diagnostics, const SourceMap& sources,
                         std::string_view version);

/// JUnit's XML, as the build servers read it: a test case for each file that was read, failed when
/// it has an error. Warnings and notes are in the output of the case. Diagnostics without a place
/// are in a case named `trainyard`.
std::string render_junit(std::span<const Diagnostic> diagnostics, const SourceMap& sources);

/// Workflow commands of GitHub Actions, one line for each diagnostic; GitHub shows them beside the
/// lines of a pull request (actions/toolkit packages/core/src/command.ts has the escapes).
std::string render_github(std::span<const Diagnostic> diagnostics, const SourceMap& sources);

/// GitLab's Code Quality report: a JSON list with an object for each diagnostic
/// (docs.gitlab.com/ci/testing/code_quality, "Code Quality report format"). Diagnostics without a
/// place are at line 1 of `.`.
std::string render_gitlab(std::span<const Diagnostic> diagnostics, const SourceMap& sources);

}  // namespace trainyard
