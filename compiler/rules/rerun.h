#pragma once

#include "rules/rule_context.h"

namespace trainyard {

/// What a change of the job does that a running job cannot take.
struct RerunChoice {
  Rerun how = Rerun::InPlace;
  OriginId origin = kNoOrigin;  // in the spec or the Cluster; kNoOrigin where neither asks for it
};

/// As the spec says; else a job gets a new name if the Cluster has `gitops` and the target can do
/// that.
RerunChoice rerun_of(const RuleContext& context);

}  // namespace trainyard
