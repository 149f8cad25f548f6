#pragma once

#include "schema/field_cache.h"
#include "schema/patterns.h"
#include "schema/rules.h"

namespace trainyard {

/// What a Checker keeps from one check to the next. None of it changes a result.
struct CheckTools {
  Patterns& patterns;
  FieldCache& fields;
  Rules& rules;
};

}  // namespace trainyard
