#pragma once

#include <string_view>

#include "cel/evaluation_context.h"

namespace trainyard::cel {

/// `'%s is %d'.format([a, b])`.
Value format_string(std::string_view form, const Value& arguments, Context& context);

}  // namespace trainyard::cel
