#pragma once

#include <cstdint>
#include <vector>

#include "diag/sink.h"
#include "source/source_map.h"

namespace trainyard {

/// What is known about a text before it is parsed.
struct TextCheck {
  bool good = true;         // else `sink` says why
  std::uint32_t begin = 0;  // after a UTF-8 byte order mark
  /// The first tab in the leading white space of every line that has one there and goes on with
  /// something other than a comment. Whether it is indentation or text only the parser knows.
  std::vector<std::uint32_t> leading_tabs;
};

/// Checks that the text is UTF-8 without characters that YAML forbids.
TextCheck check_text(const SourceMap& sources, FileId file, Sink& sink);

}  // namespace trainyard
