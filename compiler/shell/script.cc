// Questions to a script that was read.
#include "shell/script.h"

#include "shell/shell_words.h"

namespace trainyard {

using Kind = ScriptCommand::Kind;
using Joint = ScriptCommand::Joint;

std::string_view ScriptWord::assigned_name() const {
  const std::size_t equals = text.find('=');
  if (equals == text.npos || equals == 0 || !starts_shell_name(text[0])) return {};
  std::string_view name = std::string_view(text).substr(0, equals);
  if (name.ends_with('+')) name.remove_suffix(1);
  return name.find_first_not_of(kShellNameCharacters) == name.npos ? name : std::string_view();
}

std::vector<Expansion> Script::expansions_of(const ScriptWord& word) const {
  std::vector<Expansion> outer;
  for (std::size_t i = word.first_expansion; i < word.last_expansion; ++i) {
    if (outer.empty() || expansions[i].begin >= outer.back().end) outer.push_back(expansions[i]);
  }
  return outer;
}

std::string_view Script::head(const ScriptCommand& command) const {
  if (command.kind != Kind::Loop && command.kind != Kind::Case) return {};
  const std::string_view rest = text.substr(command.begin);
  return rest.substr(0, rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz"));
}

bool Script::is_ended(const ScriptCommand& command) const {
  return !command.is_simple() || text.find_first_not_of(" \t\r", command.end) != text.npos;
}

bool Script::surely_ends_with(const ScriptCommand& command) const {
  const bool is_alone = command.around == kNoCommand &&
                        (command.before == Joint::Line || command.before == Joint::Background) &&
                        command.behind != Joint::Pipe && command.behind != Joint::Background;
  if (!is_alone || !command.is_simple() || command.words.empty()) return false;
  const std::string& program = command.words[0].text;
  return program == "exit" || (program == "exec" && command.words.size() > 1);
}

}  // namespace trainyard
