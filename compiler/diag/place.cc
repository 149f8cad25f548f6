#include "diag/place.h"

#include <algorithm>

namespace trainyard {
namespace {

Position visible_position(FileId file, std::uint32_t offset, const SourceMap& sources) {
  const std::string_view text = sources.text(file);
  if (offset == text.size() && text.ends_with('\n')) {
    --offset;
    if (offset > 0 && text[offset - 1] == '\r') --offset;
  }
  return sources.position(file, offset);
}

}  // namespace

Place place_of(Span span, const SourceMap& sources) {
  const auto size = static_cast<std::uint32_t>(sources.text(span.file).size());
  const std::uint32_t begin = std::min(span.begin, size);
  const std::uint32_t end = std::clamp(span.end, begin, size);
  return {sources.name(span.file), visible_position(span.file, begin, sources),
          visible_position(span.file, end, sources), begin, end};
}

}  // namespace trainyard
