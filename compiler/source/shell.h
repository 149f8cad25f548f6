#pragma once

#include <string_view>

namespace trainyard {

// Words as a POSIX shell reads them.

inline constexpr std::string_view kShellNameCharacters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";

bool starts_shell_name(char c);

/// The name in the first `${NAME}` of a text; "" when there is none. `$${` is how one writes that
/// the program is to see it: Kubernetes makes one `$` of two.
std::string_view shell_variable(std::string_view text);

/// Whether a program, by its name or path, is a shell.
bool is_shell(std::string_view program);

}  // namespace trainyard
