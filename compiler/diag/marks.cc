#include "diag/marks.h"

#include <algorithm>
#include <utility>

#include "diag/place.h"

namespace trainyard {
namespace {

Mark mark(Span span, bool primary, std::string_view text, const SourceMap& sources) {
  const Place place = place_of(span, sources);
  const std::string_view line = sources.line(span.file, place.start.line);
  const auto offset = static_cast<std::size_t>(line.data() - sources.text(span.file).data());
  const std::size_t begin = std::min<std::size_t>(place.start_offset - offset, line.size());
  const std::size_t end = std::clamp<std::size_t>(place.end_offset - offset, begin, line.size());
  return {span, place.start.line, begin, end, place.continues(), primary, text};
}

}  // namespace

std::vector<Mark> marks_of(const Diagnostic& diagnostic, const SourceMap& sources) {
  std::vector<Mark> marks;
  std::vector<FileId> files;
  const auto add = [&](Span span, bool primary, std::string_view text) {
    if (!span.known() || sources.is_hidden(span.file)) return;
    marks.push_back(mark(span, primary, text, sources));
    const bool is_new = std::find(files.begin(), files.end(), span.file) == files.end();
    if (is_new) files.push_back(span.file);
  };
  add(diagnostic.span, true, diagnostic.label);
  for (const Label& label : diagnostic.labels) add(label.span, false, label.text);
  const auto rank = [&](const Mark& m) {
    return std::pair(std::find(files.begin(), files.end(), m.span.file), m.line);
  };
  std::stable_sort(marks.begin(), marks.end(),
                   [&](const Mark& a, const Mark& b) { return rank(a) < rank(b); });
  return marks;
}

}  // namespace trainyard
