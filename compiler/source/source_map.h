#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "source/span.h"

namespace trainyard {

/// One-based; columns count Unicode code points.
struct Position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

/// Owns the text of every file that was read, for as long as spans into it are used.
class SourceMap {
 public:
  SourceMap() = default;
  SourceMap(const SourceMap&) = delete;
  SourceMap& operator=(const SourceMap&) = delete;

  /// `name` is what diagnostics print: the path as the user wrote it, or `<stdin>`.
  FileId add(std::string name, std::string text);
  /// As `add`, for a file that holds secrets: a diagnostic says where, and shows no line of it.
  FileId add_hidden(std::string name, std::string text);
  /// As `add`, for text that outlives the map (data embedded in the binary).
  FileId add_view(std::string name, std::string_view text);

  /// As `add`, for a text that another map owns and that outlives this one.
  FileId add_borrowed(std::string name, std::string_view text);
  /// Gives away the text of a file: nothing may lead into it here afterwards.
  std::string take(FileId file) { return std::exchange(files_[file].owned, {}); }

  std::size_t size() const { return files_.size(); }
  std::string_view name(FileId file) const { return files_[file].name; }
  std::string_view text(FileId file) const { return files_[file].text; }
  /// True of text that came by `add_view`: it is a part of the program.
  bool is_builtin(FileId file) const { return files_[file].is_builtin; }
  bool is_hidden(FileId file) const { return files_[file].is_hidden; }
  std::string_view text(Span span) const;

  /// Where `offset` is; an offset past the end is the position after the last character.
  Position position(FileId file, std::uint32_t offset) const;
  /// The text of a one-based line, without its line break.
  std::string_view line(FileId file, std::uint32_t line) const;
  /// How many lines the file has; a file without a final line break counts its last line.
  std::uint32_t line_count(FileId file) const;

 private:
  struct File {
    std::string name;
    std::string owned;
    std::string_view text;
    bool is_builtin = false;
    bool is_hidden = false;
    // Filled when a position is first asked for.
    mutable std::vector<std::uint32_t> line_starts;
    mutable std::vector<std::uint32_t> code_points;  // before each block of 4 KiB
  };
  const std::vector<std::uint32_t>& line_starts(const File& file) const;
  std::uint32_t code_points_before(const File& file, std::uint32_t offset) const;

  std::deque<File> files_;
};

}  // namespace trainyard
