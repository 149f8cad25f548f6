#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "source/source_map.h"

namespace trainyard {

/// A label as it stands below the first line of its span.
struct Mark {
  Span span;
  std::uint32_t line;
  std::size_t begin;  // bytes of the line
  std::size_t end;
  bool continues;  // on later lines
  bool primary;
  std::string_view text;
};

/// What is marked, in the order of the excerpts: the main file, then the others as the labels name
/// them; by line, the primary mark first. Labels without a place are left out.
std::vector<Mark> marks_of(const Diagnostic& diagnostic, const SourceMap& sources);

}  // namespace trainyard
