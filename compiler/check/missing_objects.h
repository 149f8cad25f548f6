#pragma once

#include <string_view>

#include "check/check_context.h"
#include "tree/tree.h"

namespace trainyard {

/// What says that an object is missing which another one names, and which is not among the inputs.
struct MissingObject {
  bool is_missing = false;
  View similar;  // one of nearly this name, or of this name in another namespace

  explicit operator bool() const { return is_missing; }
  /// Points at the similar one, where there is one.
  Diagnostic& label(Diagnostic& told, CheckContext& context) const;
};

/// The cluster may have an object that the inputs lack, also where they hold others of its kind. So
/// one is missing only in three cases: the file that names it holds others; one of nearly its name
/// is there; the Cluster states all of its kind.
MissingObject missing_object(std::string_view group, std::string_view kind,
                             std::string_view name_space, View at, std::string_view name,
                             CheckContext& context);

}  // namespace trainyard
