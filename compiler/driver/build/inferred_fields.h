#pragma once

#include "diag/sink.h"
#include "plan/target_facts.h"
#include "target/object_set.h"

namespace trainyard {

/// Warns of each part of the objects whose form is not publicly known, once, at the line of the
/// user's text that it comes from, or at `otherwise` where only a template says so.
void report_inferred_shapes(const ObjectSet& objects, const TargetFacts& target,
                            const Origins& origins, Span otherwise, Sink& sink);

}  // namespace trainyard
