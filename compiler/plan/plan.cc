#include "plan/plan.h"

#include <utility>

namespace trainyard {

void Plan::clear() {
  Tree kept = std::move(tree);
  kept.clear();
  // Large blocks above all: to get them anew, malloc puts all small ones together that were freed.
  std::vector<EnvVar> env = std::move(roles.empty() ? spare_env : roles.front().env);
  env.clear();
  std::vector<Role> kept_roles = std::move(roles);
  kept_roles.clear();
  *this = Plan();
  tree = std::move(kept);
  roles = std::move(kept_roles);
  spare_env = std::move(env);
}

}  // namespace trainyard
