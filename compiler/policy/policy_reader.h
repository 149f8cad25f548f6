#pragma once

#include <vector>

#include "policy/policy_checks.h"

namespace trainyard {

/// Reads an entry of `checks` into `check`; faults are added to `faults`.
void read_policy_check(View at, SchemaSources schemas, PolicyCheck& check,
                       std::vector<PolicyFault>& faults);

/// An entry in which nothing is wrong. Its expressions are compiled when they are needed.
PolicyCheck read_policy_check(View at);

}  // namespace trainyard
