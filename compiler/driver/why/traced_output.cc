#include "driver/why/traced_output.h"

#include <algorithm>
#include <span>
#include <vector>

#include "emit/artifact.h"

namespace trainyard {
namespace {

std::uint32_t line_breaks(std::string_view text) {
  return static_cast<std::uint32_t>(std::ranges::count(text, '\n'));
}

void move_down(std::span<ProvenanceEntry> entries, std::uint32_t lines) {
  for (ProvenanceEntry& each : entries) {
    each.first_line += lines;
    each.last_line += lines;
  }
}

}  // namespace

TracedOutput::TracedOutput() : text(kHeader), lines_(line_breaks(kHeader)) {}

void TracedOutput::add(const ObjectSet& objects, const Origins& origins, const SourceMap& sources) {
  std::string more;
  std::vector<WrittenObject> written;
  write_objects(objects, more, &written);
  const std::size_t before = causes.size();
  trace(objects, written, more, origins, sources, causes);
  move_down(std::span(causes).subspan(before), lines_);
  lines_ += line_breaks(more);
  text += more;
}

void TracedOutput::put_below_header(const std::string& comments) {
  text.insert(kHeader.size(), comments);
  move_down(causes, line_breaks(comments));
}

}  // namespace trainyard
