#pragma once

#include <vector>

#include "check/check_context.h"
#include "tree/typed_fields.h"

namespace trainyard {

/// Reports the first dash that an office program or a web page has made of `-` or `--` in the words
/// of a container, and its quotes.
void check_typographic_marks(View container, const std::vector<View>& words, CheckContext& context);

}  // namespace trainyard
