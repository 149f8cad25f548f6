#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "driver/plan/sync_marks.h"
#include "schema/sources.h"
#include "tree/differences.h"
#include "tree/tree.h"

namespace trainyard {

/// The fields that a sync changes, from an object as an earlier tree had it. Amounts are compared
/// as amounts: `1000m` is `1`.
std::vector<Difference> tree_differences(View before, View after);

/// The field manager under which a tool applies.
/// argoproj/argo-cd common/common.go; fluxcd/kustomize-controller main.go
std::string_view manager_of(SyncTool tool);

/// An object as the API server keeps it: without zero values, and `stringData` of a Secret as
/// `data`.
Tree stored_form(View wanted, SchemaSources schemas);

/// Whether a field that a tree leaves out was written by those who keep the tree, or by a person.
using WasWritten = std::function<bool(std::string_view path)>;

/// The fields of an object that is there in which it differs from `wanted`. What `wanted` leaves
/// out counts only where `was_written` says so: all else is a default, or belongs to a controller.
std::vector<Difference> live_differences(View live, View wanted, const WasWritten& was_written);

/// Whether an earlier sync applied the field of an object that is there: the object of the earlier
/// tree has it; where that is an empty view, the tool owns it by `managedFields`.
bool was_applied(View live, View before, std::string_view manager, std::string_view path);

}  // namespace trainyard
