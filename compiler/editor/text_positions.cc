#include "editor/text_positions.h"

#include <algorithm>

#include "tree/utf8.h"

namespace trainyard {
namespace {

std::uint32_t units_of(const CodePoint& point, PositionUnit unit) {
  if (unit == PositionUnit::Utf8) return point.length;
  return unit == PositionUnit::Utf16 && point.valid && point.value > 0xFFFF ? 2 : 1;
}

}  // namespace

LineIndex::LineIndex(std::string_view text) : size_(text.size()) {
  starts_.push_back(0);
  for (std::size_t at = text.find_first_of("\r\n"); at != text.npos;
       at = text.find_first_of("\r\n", starts_.back())) {
    starts_.push_back(at + (text.substr(at).starts_with("\r\n") ? 2 : 1));
  }
}

std::size_t LineIndex::start(std::size_t line) const {
  return line < starts_.size() ? starts_[line] : size_;
}

std::size_t LineIndex::line_of(std::size_t offset) const {
  const auto next = std::ranges::upper_bound(starts_, offset);
  return static_cast<std::size_t>(next - starts_.begin()) - 1;
}

std::size_t LineIndex::offset(std::string_view text, EditorPosition at, PositionUnit unit) const {
  if (at.line >= starts_.size()) return size_;
  std::string_view line = text.substr(starts_[at.line]);
  line = line.substr(0, line.find_first_of("\r\n"));
  std::size_t offset = starts_[at.line];
  std::uint32_t character = 0;
  while (!line.empty()) {
    const CodePoint point = decode_utf8(line);
    character += units_of(point, unit);
    if (character > at.character) break;
    offset += point.length;
    line.remove_prefix(point.length);
  }
  return offset;
}

EditorPosition LineIndex::position(std::string_view text, std::size_t offset,
                                   PositionUnit unit) const {
  offset = std::min(offset, size_);
  const std::size_t line = line_of(offset);
  EditorPosition at{static_cast<std::uint32_t>(line), 0};
  std::string_view before = text.substr(starts_[line], offset - starts_[line]);
  before = before.substr(0, before.find_first_of("\r\n"));
  while (!before.empty()) {
    const CodePoint point = decode_utf8(before);
    at.character += units_of(point, unit);
    before.remove_prefix(std::min<std::size_t>(point.length, before.size()));
  }
  return at;
}

}  // namespace trainyard
