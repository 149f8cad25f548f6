#include "source/source_map.h"

#include <algorithm>
#include <utility>

namespace trainyard {
namespace {

constexpr std::uint32_t kBlock = 4096;

std::uint32_t count_code_points(std::string_view text) {
  return static_cast<std::uint32_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

}  // namespace

FileId SourceMap::add(std::string name, std::string text) {
  files_.push_back({std::move(name), std::move(text), {}, false, false, {}, {}});
  files_.back().text = files_.back().owned;
  return static_cast<FileId>(files_.size() - 1);
}

FileId SourceMap::add_hidden(std::string name, std::string text) {
  const FileId file = add(std::move(name), std::move(text));
  files_.back().is_hidden = true;
  return file;
}

FileId SourceMap::add_view(std::string name, std::string_view text) {
  files_.push_back({std::move(name), {}, text, true, false, {}, {}});
  return static_cast<FileId>(files_.size() - 1);
}

FileId SourceMap::add_borrowed(std::string name, std::string_view text) {
  files_.push_back({std::move(name), {}, text, false, false, {}, {}});
  return static_cast<FileId>(files_.size() - 1);
}

std::string_view SourceMap::text(Span span) const {
  if (!span.known()) return {};
  const std::string_view whole = files_[span.file].text;
  const std::size_t begin = std::min<std::size_t>(span.begin, whole.size());
  const std::size_t end = std::clamp<std::size_t>(span.end, begin, whole.size());
  return whole.substr(begin, end - begin);
}

const std::vector<std::uint32_t>& SourceMap::line_starts(const File& file) const {
  if (file.line_starts.empty()) {
    file.line_starts.push_back(0);
    for (std::size_t end = file.text.find('\n'); end != file.text.npos;
         end = file.text.find('\n', end + 1)) {
      file.line_starts.push_back(static_cast<std::uint32_t>(end + 1));
    }
  }
  return file.line_starts;
}

std::uint32_t SourceMap::code_points_before(const File& file, std::uint32_t offset) const {
  auto& counts = file.code_points;
  if (counts.empty()) {
    counts.push_back(0);
    for (std::size_t i = 0; i + kBlock <= file.text.size(); i += kBlock) {
      counts.push_back(counts.back() + count_code_points(file.text.substr(i, kBlock)));
    }
  }
  const std::uint32_t block = offset / kBlock;
  const std::uint32_t start = block * kBlock;
  return counts[block] + count_code_points(file.text.substr(start, offset - start));
}

Position SourceMap::position(FileId id, std::uint32_t offset) const {
  const File& file = files_[id];
  offset = std::min<std::uint32_t>(offset, static_cast<std::uint32_t>(file.text.size()));
  const auto& starts = line_starts(file);
  const auto after = std::upper_bound(starts.begin(), starts.end(), offset);
  const auto line = static_cast<std::uint32_t>(after - starts.begin());
  const std::uint32_t start = starts[line - 1];
  // A file may be one line of many megabytes with as many errors: do not count it through for each.
  const std::uint32_t column =
      1 + (offset - start <= kBlock
               ? count_code_points(file.text.substr(start, offset - start))
               : code_points_before(file, offset) - code_points_before(file, start));
  return {line, column};
}

std::string_view SourceMap::line(FileId id, std::uint32_t line) const {
  const File& file = files_[id];
  const auto& starts = line_starts(file);
  if (line == 0 || line > starts.size()) return {};
  const std::size_t begin = starts[line - 1];
  std::size_t end = line < starts.size() ? starts[line] - 1 : file.text.size();
  if (end > begin && file.text[end - 1] == '\r') --end;
  return file.text.substr(begin, end - begin);
}

std::uint32_t SourceMap::line_count(FileId id) const {
  const File& file = files_[id];
  const auto& starts = line_starts(file);
  const bool ends_with_break = starts.back() == file.text.size();
  return static_cast<std::uint32_t>(starts.size() - (ends_with_break && starts.size() > 1 ? 1 : 0));
}

}  // namespace trainyard
