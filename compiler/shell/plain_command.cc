#include "shell/plain_command.h"

#include <algorithm>

#include "shell/script.h"
#include "shell/shell_words.h"

namespace trainyard {
namespace {

/// The one command that a script is, with nothing around it; null for any other script.
const ScriptCommand* only_command(const Script& script) {
  if (script.fault || script.commands.empty() || !script.comments.empty()) return nullptr;
  const ScriptCommand& first = script.commands.front();
  const auto runs = [](const ScriptCommand& each) { return !each.is_output; };
  const bool is_alone = std::ranges::count_if(script.commands, runs) == 1 && first.is_simple() &&
                        first.behind == ScriptCommand::Joint::Line && first.redirections.empty() &&
                        script.text.find_first_not_of(" \t\r\n") == first.begin;
  return is_alone && !first.words.empty() ? &first : nullptr;
}

/// Whether the shell makes nothing of a word but to put variables in.
bool is_plain(const ScriptWord& word, const std::vector<Expansion>& expansions) {
  return !word.has_pattern && !word.is_list &&
         std::ranges::all_of(expansions, [](const Expansion& each) {
           return each.change == 0 && !each.name.empty() && starts_shell_name(each.name[0]);
         });
}

/// Whether it has a `$` for which the shell puts nothing in, and Kubernetes may.
bool has_dollar(const ScriptWord& word, const std::vector<Expansion>& expansions) {
  const auto dollars = std::ranges::count(word.text, '$');
  return dollars != static_cast<std::ptrdiff_t>(expansions.size());
}

/// As Kubernetes has to be given it, which makes one `$` of two and puts something in for `$(`.
std::string for_kubernetes(std::string_view literal, bool is_before_variable) {
  std::string argument;
  for (std::size_t i = 0; i < literal.size(); ++i) {
    const std::string_view next = literal.substr(i + 1);
    const bool mistaken = next.empty() ? is_before_variable : next[0] == '$' || next[0] == '(';
    argument += literal[i];
    if (literal[i] == '$' && mistaken) argument += '$';
  }
  return argument;
}

/// The word with `$(NAME)` for `"${NAME}"`; nothing where a variable stands otherwise.
std::optional<std::string> argument_of(const Script& script, const ScriptWord& word) {
  const auto expansions = script.expansions_of(word);
  const bool is_literal = word.is_quoted || !has_dollar(word, expansions);
  if (!is_literal || !is_plain(word, expansions)) return std::nullopt;
  std::string argument;
  std::size_t at = 0;
  for (const Expansion& each : expansions) {
    const std::string_view around = script.text.substr(each.begin == 0 ? 0 : each.begin - 1);
    if (!around.starts_with("\"${") || !script.text.substr(each.end).starts_with('"')) {
      return std::nullopt;
    }
    argument += for_kubernetes(std::string_view(word.text).substr(at, each.from - at), true);
    argument += "$(" + std::string(each.name) + ")";
    at = each.to;
  }
  return argument + for_kubernetes(std::string_view(word.text).substr(at), false);
}

}  // namespace

std::optional<std::vector<PlainWord>> plain_command(std::string_view script) {
  const Script read = read_script(script);
  const ScriptCommand* command = only_command(read);
  if (command == nullptr || script.ends_with('\\')) return std::nullopt;
  std::vector<PlainWord> words;
  for (const ScriptWord& each : command->words) {
    const auto expansions = read.expansions_of(each);
    if (!is_plain(each, expansions) || has_dollar(each, expansions)) return std::nullopt;
    words.push_back({each.text, each.expands()});
  }
  if (words.front().text == "exec") words.erase(words.begin());
  if (words.empty() || words.front().text.find('=') != std::string::npos) return std::nullopt;
  return words;
}

std::optional<std::vector<std::string>> words_of_line(std::string_view line) {
  const Script read = read_script(line);
  const ScriptCommand* command = only_command(read);
  if (command == nullptr) return std::nullopt;
  std::vector<std::string> words;
  for (const ScriptWord& each : command->words) {
    auto argument = argument_of(read, each);
    if (!argument) return std::nullopt;
    words.push_back(*std::move(argument));
  }
  return words;
}

std::string as_shell_sees(std::string_view argument) {
  std::string script;
  for (std::size_t i = 0; i < argument.size(); ++i) {
    script += argument[i];
    if (argument.substr(i).starts_with("$$")) ++i;
  }
  return script;
}

bool has_kubernetes_variable(std::string_view argument) {
  for (std::size_t i = argument.find('$'); i < argument.size(); i = argument.find('$', i)) {
    const std::string_view rest = argument.substr(i + 1);
    if (rest.starts_with('(')) {
      const std::size_t end = rest.find_first_not_of(kShellNameCharacters, 1);
      if (end != rest.npos && end > 1 && starts_shell_name(rest[1]) && rest[end] == ')')
        return true;
    }
    i += rest.starts_with('$') ? 2U : 1U;
  }
  return false;
}

}  // namespace trainyard
