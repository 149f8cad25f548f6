#pragma once

#include <string>

#include "rules/rule_context.h"

namespace trainyard {

/// The available targets that make jobs of several programs and can do this with them: "targets
/// that can: `a`, `b`".
template <class Able>
std::string able_targets(const RuleContext& context, const Able& able) {
  std::string names;
  for (const TargetFacts* target : context.in.targets->all_targets()) {
    if (!target->available || !target->programs.able || !able(target->programs)) continue;
    names += (names.empty() ? "" : ", ") + code(target->name);
  }
  return names.empty() ? "no target can express this" : "targets that can: " + names;
}

}  // namespace trainyard
