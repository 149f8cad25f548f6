#pragma once

#include "rules/rule_context.h"

namespace trainyard {

/// The queue or project of a job whose target queues it by itself: as the spec says, else as the
/// Cluster does where that is about the same system; empty when neither names one.
const Text& own_queue(const RuleContext& context);

}  // namespace trainyard
