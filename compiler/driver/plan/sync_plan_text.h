#pragma once

#include <string>

#include "driver/plan/sync_plan.h"

namespace trainyard {

/// For people, fit for a terminal: what changes, in the terms of training first, then other fields.
/// Objects that stay as they are, or differ in a digest alone, are counted.
std::string sync_plan_text(const SyncPlan& plan);

/// `1 to add, 1 refused, 12 unchanged; GPUs 32 -> 48 (+16: research +16)`
std::string sync_plan_summary(const SyncPlan& plan);

/// For the comment of a pull request.
std::string sync_plan_markdown(const SyncPlan& plan);

/// The members `objects`, `blocked` and `gpus` of a JSON document.
std::string sync_plan_json(const SyncPlan& plan);

/// The objects that a build server shows: refused and lost ones are errors, those without effect
/// and those that are made again are warnings.
void report_sync_plan(const SyncPlan& plan, Sink& sink);

}  // namespace trainyard
