#pragma once

#include <string_view>

#include "check/check_context.h"
#include "schema/names.h"
#include "tree/tree.h"

namespace trainyard {

/// A word of `format` in a policy that stands for a function of the program. The other words are
/// those of CEL's library (schema/rule_text.h).
struct ValueFormat {
  std::string_view name;
  // Of a text: what is wrong, as `Fault` has it. Or
  Fault (*text)(std::string_view) = nullptr;
  // of any value: reports each fault itself, where it stands.
  void (*value)(View at, CheckContext& context) = nullptr;
};

/// Null for another word.
const ValueFormat* find_value_format(std::string_view name);

}  // namespace trainyard
