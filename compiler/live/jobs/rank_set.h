#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace trainyard {

/// Some ranks, as `0,3-5` names them.
class RankSet {
 public:
  static RankSet all();
  /// Nothing for a word that names no ranks.
  static std::optional<RankSet> read(std::string_view word);

  bool has(std::int64_t rank) const;
  /// Whether it names a single rank.
  bool is_one() const;

 private:
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges_;  // both ends belong to it
};

/// A whole number without a sign.
std::optional<std::int64_t> read_count(std::string_view word);

}  // namespace trainyard
