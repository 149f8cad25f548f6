#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// A text in which the escapes of double-quoted YAML and of JSON that stand for printable ASCII
/// (`\x67`, `\u0067`, `\U00000067`, `\/`, a line break behind `\`) are what they stand for, so that
/// words can be found that were written with them. Quotes and backslashes stay escaped.
class Unescaped {
 public:
  /// None for a text without such escapes.
  static std::optional<Unescaped> of(std::string_view source);

  std::string_view text() const { return text_; }
  /// Where in the source an offset into `text`, or its size, is from.
  std::size_t place_of(std::size_t offset) const;

 private:
  struct Piece {
    std::size_t shown;   // where it starts in `text`
    std::size_t source;  // and in the source; both go on in step
  };

  std::string text_;
  std::vector<Piece> pieces_{{0, 0}};
};

}  // namespace trainyard
