#include "driver/session/glob.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace trainyard {

bool fits_glob(std::string_view pattern, std::string_view path) {
  // Row by row over the pattern: which beginnings of the path what was read so far can match.
  std::vector<bool> fits(path.size() + 1, false);
  fits[0] = true;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    std::vector<bool> next(path.size() + 1, false);
    if (pattern[i] == '*') {
      const bool deep = i + 1 < pattern.size() && pattern[i + 1] == '*';
      for (std::size_t at = 0; at <= path.size(); ++at) {
        const bool longer = at > 0 && next[at - 1] && (deep || path[at - 1] != '/');
        next[at] = fits[at] || longer;
      }
      if (deep) {
        ++i;
        // `**/` fits the folder itself as well.
        if (i + 1 < pattern.size() && pattern[i + 1] == '/') {
          std::vector<bool> behind = fits;
          for (std::size_t at = 1; at <= path.size(); ++at) {
            behind[at] = behind[at] || (next[at - 1] && path[at - 1] == '/');
          }
          next = behind;
          ++i;
        }
      }
    } else {
      for (std::size_t at = 0; at < path.size(); ++at) {
        const bool same = pattern[i] == path[at] || (pattern[i] == '?' && path[at] != '/');
        next[at + 1] = fits[at] && same;
      }
    }
    fits = std::move(next);
  }
  return fits[path.size()];
}

}  // namespace trainyard
