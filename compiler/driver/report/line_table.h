#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace trainyard {

/// Pieces of JSON, each kept once under a number: the jobs of a fleet have most of their lines and
/// causes in common.
class LineTable {
 public:
  /// The number of a piece.
  std::size_t add(std::string piece);
  /// `[...]`, the pieces in the order of their numbers.
  std::string json() const;

 private:
  std::deque<std::string> pieces_;
  std::unordered_map<std::string_view, std::size_t> numbers_;
};

/// `[...]`, each piece on a line of its own.
std::string json_list(const std::deque<std::string>& pieces);

}  // namespace trainyard
