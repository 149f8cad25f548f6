#include "plan/plan.h"

#include <utility>

namespace trainyard {

void Plan::clear() {
  Tree kept = std::move(tree);
  kept.clear();
  *this = Plan();
  tree = std::move(kept);
}

}  // namespace trainyard
