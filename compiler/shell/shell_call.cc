#include "shell/shell_call.h"

#include <string_view>

#include "shell/script_commands.h"
#include "shell/shell_words.h"
#include "tree/typed_fields.h"

namespace trainyard {

std::vector<View> arguments_of(View container) {
  std::vector<View> found;
  found.reserve(16);
  for (std::string_view field : {"command", "args"}) {
    for (View argument : items_at(container, field)) found.push_back(argument);
  }
  return found;
}

ShellCall shell_call(const std::vector<View>& words, std::size_t shell) {
  ShellCall call{shell + 1};
  while (call.script < words.size()) {
    const std::string_view word = string_of(words[call.script]);
    if (word.size() < 2 || (word[0] != '-' && word[0] != '+')) break;
    ++call.script;
    if (word == "--") break;
    if (word.starts_with("--")) continue;
    call.by_option = call.by_option || word.find('c') != word.npos;
    if (word.find_first_of("oO") != word.npos) ++call.script;  // `-o pipefail`
  }
  return call;
}

View script_of(const std::vector<View>& words) {
  const std::size_t shell = place_of_program(words);
  if (shell >= words.size() || !is_shell(string_of(words[shell]))) return {};
  const ShellCall call = shell_call(words, shell);
  return call.by_option && call.script < words.size() ? words[call.script] : View();
}

}  // namespace trainyard
