#pragma once

#include <string_view>

#include "tree/text_buffer.h"

namespace trainyard {

/// Appends `text` in double quotes, with escapes that YAML and JSON share. Bytes that are not UTF-8
/// become U+FFFD, since neither format could hold them.
void put_double_quoted(TextBuffer& out, std::string_view text);

}  // namespace trainyard
