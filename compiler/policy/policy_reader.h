#pragma once

#include <optional>
#include <vector>

#include "policy/policy_checks.h"

namespace trainyard {

/// Reads an entry of `checks` into `check`; its paths are added to `walks`, which must outlive it,
/// and faults to `faults`.
void read_policy_check(View at, SchemaSources schemas, PolicyCheck& check, PolicyWalks& walks,
                       std::vector<PolicyFault>& faults);

/// An entry in which nothing is wrong. Its expressions are compiled when they are needed.
PolicyCheck read_policy_check(View at, PolicyWalks& walks);

/// What an entry says under `releases`.
PolicyReleases read_releases(View entry);

/// What it says under `severity`; nothing if that is left out.
std::optional<Severity> written_severity(View entry);

}  // namespace trainyard
