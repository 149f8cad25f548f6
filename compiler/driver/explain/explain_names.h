#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "driver/explain/page.h"
#include "driver/session/session.h"

namespace trainyard {

// What has a name of its own: each on a page, which is empty for an unknown name.

std::vector<std::string> rule_names(Session& session);
Page explain_rule(Session& session, std::string_view name);

std::vector<std::string> check_names(Session& session);
Page explain_check(Session& session, std::string_view name);

/// Of checks, also those of policies. Their page has all of their checks.
std::vector<std::string> group_names(Session& session);
Page explain_group(Session& session, std::string_view name);

std::vector<std::string> target_names(Session& session);
Page explain_target(Session& session, std::string_view name);

std::vector<std::string> machine_names(Session& session);
Page explain_machine(Session& session, std::string_view name);

std::vector<std::string> fabric_names(Session& session);
Page explain_fabric(Session& session, std::string_view name);

std::vector<std::string> diagnostic_names(Session& session);
Page explain_diagnostic(Session& session, std::string_view name);

/// `spec.framework: mpi`, `spec.nodes above 1`: what a row of a target's limits is about.
std::string limit_phrase(const Inexpressible& limit);

}  // namespace trainyard
