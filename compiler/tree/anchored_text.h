#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// A text as yaml-cpp is given it. In a list, yaml-cpp takes an anchor for the beginning of a key,
/// and wants a block text behind it to stand to the right of that:
///
///     - &name |
///       text
///
/// So it gets a line break and blanks in front of such an anchor, which mean the same.
class AnchoredText {
 public:
  explicit AnchoredText(std::string_view text) : text_(text) {}

  /// The anchor of the entry whose block text yaml-cpp may have stopped at; nothing where there is
  /// none, or where it has been moved.
  std::optional<std::size_t> find_before(std::size_t at, std::size_t begin) const;
  void move(std::size_t anchor);

  std::string_view given() const { return moves_.empty() ? text_ : std::string_view(given_); }
  /// The place in the text of one in what is given.
  std::size_t place(std::size_t given) const;

 private:
  struct Move {
    std::size_t anchor;
    std::size_t size;  // of what stands before it
  };
  std::string_view text_;
  std::string given_;
  std::vector<Move> moves_;  // rising
};

}  // namespace trainyard
