#include "lints/scripts/comment_in_command.h"

#include <cstddef>
#include <string>
#include <string_view>

#include "diag/words.h"
#include "shell/command_line.h"
#include "shell/script.h"

namespace trainyard {

void check_comment_in_command(View script, CheckContext& context) {
  const std::string_view text = script->text;
  const auto read = script_in(script);
  for (std::size_t comment : read->comments) {
    // In front of the comment stand blanks, an end of line and the `\`.
    const std::size_t line = text.rfind('\n', comment);
    if (line == text.npos || line == 0 || text[line - 1] != '\\') continue;
    if (text.find_first_not_of(" \t", line + 1) != comment) continue;
    // The next line is indented as a part of the command, and has a word.
    const std::size_t end = text.find('\n', comment);
    if (end == text.npos || end + 1 >= text.size()) continue;
    const std::size_t next = text.find_first_not_of(" \t", end + 1);
    if (next == text.npos || next == end + 1) continue;
    constexpr std::string_view kOthers = "\n#-";  // another function reports a line of options
    if (kOthers.find(text[next]) != kOthers.npos) continue;
    const std::string_view word = text.substr(next, text.find_first_of(" \t\n", next) - next);
    context.lint(WordView(script, comment, end),
                 "a comment ends the command before it, also behind a `\\`: " + shown(word) +
                     " begins a command of its own",
                 Severity::Warning);
    return;
  }
}

}  // namespace trainyard
