#include "lints/scripts/exported_value.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "shell/script.h"
#include "shell/script_commands.h"

namespace trainyard {
namespace {

using Kind = ScriptCommand::Kind;
using Joint = ScriptCommand::Joint;
/// Those of a script that stand in no other one.
using Commands = std::vector<const ScriptCommand*>;

Commands commands_of(const Script& script) {
  Commands commands;
  for (const ScriptCommand& each : script.commands) {
    const bool has_words = !each.is_simple() || !each.words.empty();
    if (each.around == kNoCommand && !each.is_output && has_words) commands.push_back(&each);
  }
  return commands;
}

std::string_view word_of(const ScriptCommand& command, std::size_t at) {
  if (!command.is_simple() || at >= command.words.size()) return {};
  return command.words[at].text;
}

/// Whether what stands behind a command may be met all the same, or the command may be passed over.
bool may_branch(const ScriptCommand& command) {
  constexpr auto words = std::to_array<std::string_view>({"trap", "exit", "return"});
  return (!command.is_simple() && command.kind != Kind::Sum) ||
         std::ranges::find(words, word_of(command, 0)) != words.end();
}

/// Whether nothing in front of a command on its line decides whether it runs.
bool is_sure(const ScriptCommand& command) {
  return command.before == Joint::Line || command.before == Joint::Background;
}

OptionValue exported_in(View argument, const std::string& assignment) {
  const auto script = script_in(argument);
  for (const ScriptCommand* command : commands_of(*script)) {
    if (may_branch(*command) || word_of(*command, 0) == ".") return {};
    if (!is_sure(*command) || word_of(*command, 0) != "export") continue;
    if (command->behind == Joint::Pipe) continue;
    for (const ScriptWord& word : command->words) {
      if (!word.text.starts_with(assignment)) continue;
      const bool is_known = !word.expands() && !word.is_list;
      return {is_known ? word.text.substr(assignment.size()) : "",
              WordView(argument, word.begin, word.end)};
    }
  }
  return {};
}

}  // namespace

OptionValue exported_value(View container, std::string_view name) {
  static constexpr std::string_view kExport = "export ";
  if (!contains_text(container, kExport)) return {};
  const std::string assignment = std::string(name) + "=";
  OptionValue found;
  std::size_t times = 0;
  for (View argument : arguments_of(container)) {
    const std::string_view text = argument->text;
    std::size_t at = text.find(assignment);
    for (; at != text.npos; at = text.find(assignment, at + 1)) ++times;
    if (times != 0 && !found) found = exported_in(argument, assignment);
  }
  return times == 1 && may_run_shell(container) ? found : OptionValue();
}

}  // namespace trainyard
