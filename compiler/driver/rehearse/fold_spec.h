#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "driver/session/inputs.h"
#include "plan/plan.h"

namespace trainyard {

/// At most so many nodes for each role, and processes on each node.
struct Fold {
  std::int64_t nodes = 2;
  std::int64_t processes = 2;
};

/// Writes smaller numbers into a spec where it has more nodes or processes than `fold`. `plan` is
/// what the spec compiles to. What changes is appended to `told`, such as `spec.nodes: 2, not 16`.
void fold_spec(Document& spec, const Plan& plan, const Fold& fold, std::vector<std::string>& told);

}  // namespace trainyard
