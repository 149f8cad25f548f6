#pragma once

#include <string>

namespace trainyard {

/// Asks the system for large pages where `text` has room for whole ones: to touch a page for the
/// first time costs as much as to write half of it. Where there are none it is as before.
void ask_for_large_pages(std::string& text);

}  // namespace trainyard
