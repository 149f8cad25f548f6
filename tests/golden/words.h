#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard::golden {

/// One command line of a case.
struct Command {
  std::string line;                  // as written
  std::vector<std::string> words;    // arguments behind the program's name
  std::optional<std::string> input;  // the file after `<`
};

/// Splits as a shell does: blanks, '...', "..." and a backslash; `< file` is standard input.
/// Nothing when a quote is not closed or `<` has no file.
std::optional<Command> parse_command(std::string_view line);

/// The command lines of an `args` file. Blank lines and lines that start with `#` are skipped.
std::optional<std::vector<Command>> parse_commands(std::string_view text);

}  // namespace trainyard::golden
