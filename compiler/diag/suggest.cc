#include "diag/suggest.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace trainyard {
namespace {

/// Edits to get from `a` to `b`, a swap of neighbours counted as one.
std::size_t distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> before(width), previous(width), current(width);
  for (std::size_t j = 0; j < width; ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j < width; ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) current[j] = std::min(current[j], before[j - 2] + 1);
    }
    before.swap(previous);
    previous.swap(current);
  }
  return previous[b.size()];
}

/// True for `gpus` of `gpusPerNode`: whole words are missing at the end, and more than the typo
/// has.
bool is_cut_short(std::string_view typo, std::string_view candidate) {
  if (candidate.size() < 2 * typo.size() || !candidate.starts_with(typo)) return false;
  const char next = candidate[typo.size()];
  return next == '-' || next == '_' || (next >= 'A' && next <= 'Z');
}

}  // namespace

std::string folded(std::string_view word) {
  std::string result;
  for (char c : word) {
    if (c == '-' || c == '_') continue;
    result += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return result;
}

std::optional<std::string_view> suggest(std::string_view typo,
                                        std::span<const std::string_view> candidates) {
  // A word of hostile length is no typo, and the table above is quadratic.
  if (typo.empty() || typo.size() > 64) return std::nullopt;
  std::vector<std::string_view> longer;
  std::ranges::copy_if(candidates, std::back_inserter(longer),
                       [&](std::string_view candidate) { return is_cut_short(typo, candidate); });
  if (longer.size() == 1) return longer.front();
  const std::string wanted = folded(typo);
  std::optional<std::string_view> best;
  std::size_t best_distance = std::max<std::size_t>(1, wanted.size() / 3) + 1;
  for (std::string_view candidate : candidates) {
    if (candidate.size() > 64) continue;
    const std::string known = folded(candidate);
    const std::size_t edits = distance(wanted, known);
    // A word of two letters is one edit away from too many; of these, only a swap is a slip.
    if (wanted.size() <= 2 && !std::ranges::is_permutation(wanted, known)) continue;
    if (edits < best_distance) {
      best = candidate;
      best_distance = edits;
    }
  }
  return best;
}

}  // namespace trainyard
