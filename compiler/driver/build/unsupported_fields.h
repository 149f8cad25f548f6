#pragma once

#include "diag/sink.h"
#include "plan/plan.h"
#include "spec/training_job.h"
#include "target/target_pack.h"

namespace trainyard {

/// Reports what a job asks for and no template of the target names, so that it would be dropped
/// without a word: targets of users' own seldom list all that they have no place for.
void report_unsupported_fields(const TrainingJob& job, const Plan& plan, const TargetPack& pack,
                               Sink& sink);

}  // namespace trainyard
