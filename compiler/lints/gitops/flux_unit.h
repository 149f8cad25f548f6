#pragma once

#include <functional>
#include <string_view>

#include "check/check_context.h"
#include "tree/tree.h"

namespace trainyard {

/// Whether a file lies in the directory that a Kustomization of Flux syncs. Its `path` begins at
/// the root of the repository, and the name of a file may begin above or in it.
bool flux_covers(View kustomization, std::string_view file);

/// The file in which an object stands; "" where it stands in none.
std::string_view file_of(View object, const CheckContext& context);

/// The first Kustomization among the inputs that syncs an object and for which `is_such` holds. An
/// empty view where there is none, where the inputs are not known yet, and for what we made.
View flux_unit_of(View object, CheckContext& context, const std::function<bool(View)>& is_such);

}  // namespace trainyard
