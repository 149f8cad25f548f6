#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// A word of a script. `expands` when the shell, or Kubernetes before it, puts something in.
struct PlainWord {
  std::string text;
  bool expands = false;
};

/// The words of a script that is one plain command: no pipes, lists, redirections, patterns or
/// assignments. An `exec` in front is left out. Nothing for any other script.
std::optional<std::vector<PlainWord>> plain_command(std::string_view script);

/// A script as the shell gets it, of one in an argument: Kubernetes makes one `$` of two.
std::string as_shell_sees(std::string_view argument);

/// The words of a line that a shell splits, as they would stand in a command: `"${NAME}"` becomes
/// `$(NAME)`. Nothing for a line in which the shell does more than that.
std::optional<std::vector<std::string>> words_of_line(std::string_view line);

/// Whether Kubernetes puts a variable into an argument: `$(NAME)`, and not `$$(NAME)`.
bool has_kubernetes_variable(std::string_view argument);

}  // namespace trainyard
