#include "diag/suggest.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "diag/words.h"
#include "source/characters.h"

namespace trainyard {
namespace {

constexpr std::size_t kLongest = 64;           // words: a longer one is no typo
constexpr std::size_t kMostCandidates = 1500;  // among more, a guess costs too much

/// Edits to get from `a` to `b`, a swap of neighbours counted as one; `limit` where they are as
/// many or more. Both have at most `kLongest` characters.
std::size_t distance(std::string_view a, std::string_view b, std::size_t limit) {
  const std::size_t apart = a.size() < b.size() ? b.size() - a.size() : a.size() - b.size();
  if (apart >= limit) return limit;
  std::array<std::size_t, kLongest + 1> before{};
  std::array<std::size_t, kLongest + 1> previous{};
  std::array<std::size_t, kLongest + 1> current{};
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  std::size_t least = 0;  // of the row before
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    std::size_t least_here = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) current[j] = std::min(current[j], before[j - 2] + 1);
      least_here = std::min(least_here, current[j]);
    }
    // A swap looks back two rows.
    if (least >= limit && least_here >= limit) return limit;
    least = least_here;
    before = previous;
    previous = current;
  }
  return std::min(previous[b.size()], limit);
}

/// True for `gpus` of `gpusPerNode`: whole words are missing at the end, and more than the typo
/// has.
bool is_cut_short(std::string_view typo, std::string_view candidate) {
  if (candidate.size() < 2 * typo.size() || !candidate.starts_with(typo)) return false;
  const char next = candidate[typo.size()];
  return next == '-' || next == '_' || (next >= 'A' && next <= 'Z');
}

/// Those that have a name as a part; none for a short one.
std::vector<std::string_view> with_part(std::string_view name,
                                        std::span<const std::string_view> candidates) {
  constexpr std::size_t kShortest = 2;
  const std::string part = folded(name);
  std::vector<std::string_view> whole;
  std::ranges::copy_if(candidates, std::back_inserter(whole), [&](std::string_view each) {
    return part.size() >= kShortest && folded(each).find(part) != std::string::npos;
  });
  return whole;
}

}  // namespace

std::string folded(std::string_view word) {
  std::string result;
  for (char c : word) {
    if (c == '-' || c == '_') continue;
    result += to_lower(c);
  }
  return result;
}

std::optional<std::string_view> suggest(std::string_view typo,
                                        std::span<const std::string_view> candidates) {
  if (typo.empty() || typo.size() > kLongest || candidates.size() > kMostCandidates) {
    return std::nullopt;
  }
  std::vector<std::string_view> longer;
  std::ranges::copy_if(candidates, std::back_inserter(longer),
                       [&](std::string_view candidate) { return is_cut_short(typo, candidate); });
  if (longer.size() == 1) return longer.front();
  const std::string wanted = folded(typo);
  std::optional<std::string_view> best;
  std::size_t best_distance = std::max<std::size_t>(1, wanted.size() / 3) + 1;
  for (std::string_view candidate : candidates) {
    if (candidate.size() > kLongest) continue;
    const std::string known = folded(candidate);
    const std::size_t edits = distance(wanted, known, best_distance);
    // A word of two letters is one edit away from too many; of these, only a swap is a typo.
    if (wanted.size() <= 2 && !std::ranges::is_permutation(wanted, known)) continue;
    if (edits < best_distance) {
      best = candidate;
      best_distance = edits;
    }
  }
  return best;
}

/// The one candidate that has all words of the typo, in any order: `dgx-h100` of `h100 dgx`.
static std::optional<std::string_view> with_words(std::string_view typo,
                                                  std::span<const std::string_view> candidates) {
  constexpr std::string_view kBetween = " -_";
  if (typo.find_first_of(kBetween) == typo.npos) return std::nullopt;
  const auto has_all = [&](std::string_view candidate) {
    const std::string known = folded(candidate);
    for (std::string_view rest = typo; !rest.empty();) {
      const std::string word = folded(rest.substr(0, rest.find_first_of(kBetween)));
      rest.remove_prefix(std::min(rest.find_first_of(kBetween), rest.size() - 1) + 1);
      if (!word.empty() && known.find(word) == std::string::npos) return false;
    }
    return true;
  };
  const auto found = std::ranges::find_if(candidates, has_all);
  if (found == candidates.end() || std::any_of(found + 1, candidates.end(), has_all)) {
    return std::nullopt;
  }
  return *found;
}

std::optional<std::string_view> suggest_whole(std::string_view typo,
                                              std::span<const std::string_view> candidates) {
  const std::vector<std::string_view> whole = with_part(typo, candidates);
  constexpr std::size_t kShortest = 3;
  const bool is_one = whole.size() == 1 && folded(typo).size() >= kShortest;
  if (is_one) return whole.front();
  if (const auto found = with_words(typo, candidates)) return found;
  return suggest(typo, candidates);
}

std::string guess(std::string_view typo, std::span<const std::string_view> candidates) {
  constexpr std::size_t kMost = 8;
  if (const auto near = suggest_whole(typo, candidates)) {
    return "did you mean " + shown(*near) + "?";
  }
  const std::vector<std::string_view> whole = with_part(typo, candidates);
  if (whole.empty() || whole.size() > kMost) return {};
  return "did you mean one of " +
         listed(std::vector<std::string>(whole.begin(), whole.end()), "or") + "?";
}

}  // namespace trainyard
