#pragma once

#include <string_view>
#include <vector>

#include "rules/rule_context.h"

namespace trainyard {

/// Access modes that the Cluster knows an existing claim to have; null when it does not say.
const Located<std::vector<Located<AccessMode>>>* known_access_modes(const RuleContext& context,
                                                                    std::string_view claim);

/// The storage class of a claim that is made: its own, else the default of the Cluster.
const Text& storage_class_of(const RuleContext& context, const Text& own);

/// Whether pods on several nodes mount what the job mounts: those of one role, or of several.
bool on_several_nodes(const RuleContext& context);

/// The access mode of a claim that is made and states none.
AccessMode usual_access_mode(const RuleContext& context);

}  // namespace trainyard
