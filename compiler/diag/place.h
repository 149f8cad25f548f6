#pragma once

#include <string_view>

#include "source/source_map.h"

namespace trainyard {

/// A span as every renderer prints it.
struct Place {
  std::string_view file;
  Position start;
  Position end;                // behind the last character
  std::uint32_t start_offset;  // bytes, within the file
  std::uint32_t end_offset;

  /// More than the line break of the first line lies behind that line.
  bool continues() const {
    return end.line > start.line + 1 || (end.line == start.line + 1 && end.column > 1);
  }
};

/// The place of a known span. What lies behind the last line break of a file is shown at the end of
/// its last line, because there is nothing else to look at.
Place place_of(Span span, const SourceMap& sources);

}  // namespace trainyard
