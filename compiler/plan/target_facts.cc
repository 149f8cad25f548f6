#include "plan/target_facts.h"

namespace trainyard {

std::int64_t TargetFacts::longest_name(std::int64_t pods) const {
  std::int64_t left = name_limit - name_overhead;
  const bool indexed = index_suffix == IndexSuffix::Always ||
                       (index_suffix == IndexSuffix::SeveralNodes && pods > 1);
  if (!indexed) return left;
  left -= 2;  // `-` and the first digit
  for (std::int64_t largest = (pods - 1) / 10; largest > 0; largest /= 10) --left;
  return left;
}

}  // namespace trainyard
