#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

// Words as a POSIX shell reads them.

inline constexpr std::string_view kShellNameCharacters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";

bool starts_shell_name(char c);

/// The name in `NAME=value` and `NAME+=value`; "" for any other word.
std::string_view assigned_name(std::string_view word);

/// The name in the first `${NAME}` of a text; "" when there is none. `$${` is how one writes that
/// the program is to see it: Kubernetes makes one `$` of two.
std::string_view shell_variable(std::string_view text);

/// The name in the first `$PATH`, `$HOME` and the like of a text, which a shell would replace:
/// variables that every image has. "" for none.
std::string_view variable_of_images(std::string_view text);

/// Whether a program, by its name or path, is a shell.
bool is_shell(std::string_view program);

/// The word as a shell has to be given it: as it is where that is safe, else in single quotes.
std::string shell_quoted(std::string_view word);

/// The words of a command line as a shell would split it, without quotes and backslashes; nothing
/// is expanded. No value if a quote is left open.
std::optional<std::vector<std::string>> shell_words(std::string_view line);
/// The same; of a line with an open quote, which the program refuses, the whole as one word.
std::vector<std::string> shell_words_or_whole(std::string_view line);

}  // namespace trainyard
