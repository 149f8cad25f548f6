#include "shell/script_commands.h"

#include <algorithm>
#include <array>

#include "shell/shell_words.h"

namespace trainyard {

bool is_wrapper_command(std::string_view word) {
  constexpr auto names = std::to_array<std::string_view>({"tini", "dumb-init", "env", "exec"});
  return word.starts_with('-') || std::ranges::find(names, program_name(word)) != names.end();
}

bool is_before_program(std::string_view word) {
  constexpr auto names = std::to_array<std::string_view>(
      {"command", "nohup", "sudo", "timeout", "nice", "numactl", "stdbuf", "pipefail"});
  if (word.empty()) return false;
  const bool is_number = word.front() >= '0' && word.front() <= '9';
  const bool is_assignment = word.find('=') != word.npos && starts_shell_name(word.front());
  return is_number || is_assignment || is_wrapper_command(word) || is_shell(word) ||
         std::ranges::find(names, program_name(word)) != names.end();
}

std::vector<View> arguments_of(View container) {
  std::vector<View> found;
  found.reserve(16);
  for (std::string_view field : {"command", "args"}) {
    for (View argument : items_at(container, field)) found.push_back(argument);
  }
  return found;
}

View script_of(const std::vector<View>& words) {
  const std::size_t shell = place_of_program(words);
  if (shell >= words.size() || !is_shell(string_of(words[shell]))) return {};
  const ShellCall call = shell_call(words, shell);
  return call.by_option && call.script < words.size() ? words[call.script] : View();
}

}  // namespace trainyard
