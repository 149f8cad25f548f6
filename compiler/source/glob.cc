#include "source/glob.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace trainyard {

namespace {

using Row = std::vector<char>;  // which beginnings of the path fit what was read of the pattern

/// `*`, or `**` when `deep`: what fits so far, and that with more behind it.
void any_text(std::string_view path, bool deep, const Row& fits, Row& next) {
  for (std::size_t at = 0; at <= path.size(); ++at) {
    const bool longer = at > 0 && next[at - 1] && (deep || path[at - 1] != '/');
    next[at] = fits[at] || longer;
  }
}

/// `**/`: the folder itself as well.
void any_folders(std::string_view path, Row& fits, Row& next) {
  any_text(path, true, fits, next);
  for (std::size_t at = 1; at <= path.size(); ++at) {
    fits[at] = fits[at] || (next[at - 1] && path[at - 1] == '/');
  }
  fits.swap(next);
}

}  // namespace

bool fits_glob(std::string_view pattern, std::string_view path) {
  Row fits(path.size() + 1, 0);
  Row next(path.size() + 1, 0);
  fits[0] = 1;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '*') {
      const bool deep = i + 1 < pattern.size() && pattern[i + 1] == '*';
      if (deep) ++i;
      if (deep && i + 1 < pattern.size() && pattern[i + 1] == '/') {
        ++i;
        any_folders(path, fits, next);
      } else {
        any_text(path, deep, fits, next);
      }
    } else {
      next[0] = 0;
      for (std::size_t at = 0; at < path.size(); ++at) {
        const bool same = pattern[i] == path[at] || (pattern[i] == '?' && path[at] != '/');
        next[at + 1] = fits[at] && same;
      }
    }
    fits.swap(next);
    if (std::ranges::find(fits, 1) == fits.end()) return false;
  }
  return fits[path.size()] != 0;
}

}  // namespace trainyard
