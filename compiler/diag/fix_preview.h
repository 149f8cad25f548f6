#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "diag/redaction.h"
#include "source/source_map.h"

namespace trainyard {

/// The lines that a fix changes, as they are and as they would be.
struct FixPreview {
  std::uint32_t line = 1;  // one-based, of the first of either
  std::size_t focus = 0;   // byte of that line where the change starts
  std::vector<std::string> removed;
  std::vector<std::string> added;
};

/// What a fix puts in the place of its span. A word for one in quotes comes in the same quotes, so
/// that JSON stays JSON; `3` for `"3"`, which is meant to lose them, does not.
std::string new_text(const Fix& fix, const SourceMap& sources);

/// Of a fix whose span is known, without secrets. Empty when the fix is too large to be looked at.
/// Very long lines are clipped around the change, always beyond what a window into them shows.
FixPreview preview(const Fix& fix, const SourceMap& sources, const Redaction& redaction);

}  // namespace trainyard
