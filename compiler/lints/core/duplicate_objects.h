#pragma once

#include <string_view>

#include "check/check_context.h"
#include "tree/tree.h"

namespace trainyard {

/// The check `object-twice` for an object that stands in another file as `first`. A kustomization
/// lists both files, or they lie in one directory of built files where it is "".
void object_in_two_files(View object, View first, std::string_view kustomization,
                         CheckContext& context);

}  // namespace trainyard
