#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace trainyard {

/// What `character` of a position counts: the client and the server agree on one.
enum class PositionUnit : std::uint8_t { Utf16, Utf8, Utf32 };

/// Zero-based, as the protocol has them.
struct EditorPosition {
  std::uint32_t line = 0;
  std::uint32_t character = 0;

  friend bool operator==(const EditorPosition&, const EditorPosition&) = default;
};

/// Where the lines of a text begin. A line ends with `\n`, `\r\n` or `\r`.
class LineIndex {
 public:
  explicit LineIndex(std::string_view text = {});

  std::size_t count() const { return starts_.size(); }
  /// Byte offset of the beginning of a line; the size of the text for a line behind its end.
  std::size_t start(std::size_t line) const;
  /// Zero-based line of a byte offset.
  std::size_t line_of(std::size_t offset) const;

  /// A position behind the end of its line is at this end; a line behind the last one is the end of
  /// the text. A position within a character is at its beginning. `text` is that of the index.
  std::size_t offset(std::string_view text, EditorPosition at, PositionUnit unit) const;
  EditorPosition position(std::string_view text, std::size_t offset, PositionUnit unit) const;

 private:
  std::vector<std::size_t> starts_;
  std::size_t size_ = 0;
};

}  // namespace trainyard
