#include "shell/script_commands.h"

#include <algorithm>
#include <array>

#include "shell/shell_words.h"

namespace trainyard {

bool only_starts_others(std::string_view word) {
  constexpr auto names = std::to_array<std::string_view>({"tini", "dumb-init", "env", "exec"});
  return word.starts_with('-') || std::ranges::find(names, program_name(word)) != names.end();
}

bool leads_to_program(std::string_view word) {
  constexpr auto names = std::to_array<std::string_view>(
      {"if", "then", "elif", "else", "while", "until", "do", "!", "{", "time", "command", "nohup",
       "sudo", "timeout", "nice", "numactl", "stdbuf", "pipefail"});
  if (word.empty()) return false;
  const bool is_number = word.front() >= '0' && word.front() <= '9';
  const bool is_assignment = word.find('=') != word.npos && starts_shell_name(word.front());
  return is_number || is_assignment || only_starts_others(word) || is_shell(word) ||
         std::ranges::find(names, program_name(word)) != names.end();
}

bool OutsideQuotes::next() {
  char quote = 0;
  while (next_ < script_.size()) {
    at_ = next_++;
    const char c = script_[at_];
    if (c == '\\' && quote != '\'') ++next_;
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (quotes_.find(c) != std::string_view::npos) {
      quote = c;
    } else {
      return true;
    }
  }
  return false;
}

bool OutsideQuotes::begins_comment() const {
  constexpr std::string_view kBlanks = " \t\n\r";
  return here() == '#' && (at_ == 0 || kBlanks.find(script_[at_ - 1]) != kBlanks.npos);
}

void OutsideQuotes::pass_comment() {
  next_ = std::min(script_.find('\n', at_), script_.size());
}

}  // namespace trainyard
