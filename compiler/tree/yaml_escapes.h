#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// Whether the text between double quotes has an escape that yaml-cpp 0.7 and 0.8 get wrong: `\N`
/// (next line) and `\_` (no-break space) become the bytes 0x85 and 0xA0 alone, which is Latin-1 and
/// not UTF-8 (jbeder/yaml-cpp src/exp.cpp).
bool has_latin1_escape(std::string_view quoted);

/// The value that yaml-cpp made of such a text, as UTF-8.
std::string latin1_escapes_as_utf8(std::string_view value);

/// The character that a backslash before `c` makes between double quotes; 0 for the escapes that
/// are rare.
char unescape(char c);

}  // namespace trainyard
