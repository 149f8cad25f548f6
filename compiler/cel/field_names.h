#pragma once

#include <string>
#include <string_view>

namespace trainyard::cel {

/// The name of a field as an expression writes it (`__dash__` for `-`, `__if__` for `if`) as it is
/// in the document. False for a name that nothing is written as.
bool unescape_field(std::string_view escaped, std::string& name);

/// The other way: how an expression writes the name of a field. False for a name that none can
/// write.
bool escape_field(std::string_view name, std::string& escaped);

}  // namespace trainyard::cel
