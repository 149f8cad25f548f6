#pragma once

#include <string>
#include <vector>

#include "driver/plan/sync_marks.h"
#include "schema/sources.h"
#include "tree/differences.h"
#include "tree/tree.h"

namespace trainyard {

/// The fields that a sync changes, from an object as an earlier tree had it. Amounts are compared
/// as amounts: `1000m` is `1`.
std::vector<Difference> tree_differences(View before, View after);

/// An object as the API server keeps it: without zero values, and `stringData` of a Secret as
/// `data`.
Tree stored_form(View wanted, SchemaSources schemas);

/// The fields that a sync changes of an object that is there. What `wanted` leaves out counts only
/// where an earlier sync applied it: `before`, the object of the earlier tree, has it (an empty
/// view where there is none), or the tool owns it by `managedFields`. All else is a default, or
/// belongs to a controller.
std::vector<Difference> live_differences(View live, View wanted, View before, SyncTool tool);

}  // namespace trainyard
