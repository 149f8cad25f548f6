#include "live/jobs/rank_set.h"

#include <algorithm>
#include <limits>

#include "source/number_text.h"

namespace trainyard {

std::optional<std::int64_t> read_count(std::string_view word) {
  const auto number = read_number(word);
  return number && *number >= 0 ? number : std::nullopt;
}

RankSet RankSet::all() {
  RankSet set;
  set.ranges_.emplace_back(0, std::numeric_limits<std::int64_t>::max());
  return set;
}

std::optional<RankSet> RankSet::read(std::string_view word) {
  RankSet set;
  while (true) {
    const std::size_t comma = word.find(',');
    const std::string_view part = word.substr(0, comma);
    const std::size_t dash = part.find('-');
    const auto first = read_count(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : read_count(part.substr(dash + 1));
    if (!first || !last || *last < *first) return std::nullopt;
    set.ranges_.emplace_back(*first, *last);
    if (comma == std::string_view::npos) return set;
    word.remove_prefix(comma + 1);
  }
}

bool RankSet::has(std::int64_t rank) const {
  return std::ranges::any_of(
      ranges_, [rank](const auto& range) { return range.first <= rank && rank <= range.second; });
}

bool RankSet::is_one() const {
  return ranges_.size() == 1 && ranges_.front().first == ranges_.front().second;
}

}  // namespace trainyard
