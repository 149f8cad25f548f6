#pragma once

#include "check/check_context.h"
#include "manifest/workload.h"
#include "tree/tree.h"

namespace trainyard {

// Rows of the table in lints/gitops/client_side_apply.cc.

/// An object with options that exclude each other.
void force_on_server_side(View object, CheckContext& context);
/// A job whose quota the next one waits for.
void prune_last_of_job(const Workload& workload, CheckContext& context);
/// An object without a name to apply it by.
void generate_name_in_git(View object, CheckContext& context);

}  // namespace trainyard
