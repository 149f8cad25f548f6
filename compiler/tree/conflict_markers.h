#pragma once

#include <cstddef>
#include <string_view>

#include "diag/sink.h"
#include "source/span.h"

namespace trainyard {

/// Reports each unresolved merge conflict of Git in a text: once, at the line with which it begins.
/// False when there is none.
///
/// A marker stands at the beginning of a line, where no text inside of a YAML map can.
bool report_merge_conflicts(std::string_view text, FileId file, Sink& sink);

bool has_merge_conflict(std::string_view text);

/// Whether a line is such a marker, also in the form of `merge.conflictStyle=diff3`.
bool is_conflict_line(std::string_view line);

}  // namespace trainyard
