#pragma once

#include <string>
#include <string_view>

namespace trainyard {

// Text that others wrote, as it may reach a terminal: a path, a word of the call, a line of a file.
// Secrets are masked, and what a terminal would obey or reorder is replaced by what can be seen.
// Diagnostics go through Redaction and `printable` instead, which know the files around them.

/// On one line; a long text is cut.
std::string foreign_text(std::string_view text);
/// With its line breaks and tabs.
std::string foreign_lines(std::string_view text);

}  // namespace trainyard
