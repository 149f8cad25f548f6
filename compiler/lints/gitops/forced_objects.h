#pragma once

#include "check/check_context.h"
#include "manifest/workload.h"
#include "tree/tree.h"

namespace trainyard {

// Rows of the table in lints/gitops/client_side_apply.cc.

/// A claim that is deleted for a change that it cannot take.
void force_on_claim(View object, CheckContext& context);
/// A claim that outlives its end in Git, and keeps its Application from being in sync.
void kept_claim(View object, CheckContext& context);
/// An object with options that exclude each other.
void force_on_server_side(View object, CheckContext& context);
/// A Job that `kubectl replace` cannot replace.
void replace_of_job(View object, CheckContext& context);
/// A job whose quota the next one waits for.
void prune_last_of_job(const Workload& workload, CheckContext& context);
/// An object without a name to apply it by.
void generate_name_in_git(View object, CheckContext& context);

}  // namespace trainyard
