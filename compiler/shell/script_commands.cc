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
      {"command", "nohup", "sudo", "timeout", "nice", "numactl", "stdbuf", "pipefail"});
  if (word.empty()) return false;
  const bool is_number = word.front() >= '0' && word.front() <= '9';
  const bool is_assignment = word.find('=') != word.npos && starts_shell_name(word.front());
  return is_number || is_assignment || only_starts_others(word) || is_shell(word) ||
         std::ranges::find(names, program_name(word)) != names.end();
}

}  // namespace trainyard
