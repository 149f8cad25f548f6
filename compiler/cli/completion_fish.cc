#include "cli/completion.h"

namespace trainyard {
namespace {

/// Text between single quotes, in which fish reads `\\` and `\'` only.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    if (c != '`') out += c;
  }
  return out + "'";
}

/// A condition under which a row applies: the words of the command stand on the line.
std::string within(const std::string& command) {
  const std::size_t space = command.find(' ');
  std::string condition = "__fish_seen_subcommand_from " + command.substr(0, space);
  if (space != std::string::npos) {
    condition += "; and __fish_seen_subcommand_from " + command.substr(space + 1);
  }
  return "'" + condition + "'";
}

std::string value_of(const CallArgument& row) {
  if (!row.words.empty()) return " -x -a " + in_quotes(spaced(row.words));
  if (row.kind == ValueKind::File) return " -r -F";
  if (row.kind == ValueKind::Directory) return " -x -a '(__fish_complete_directories)'";
  return " -x";
}

void option(const CompletionCommandRow& row, const CallArgument& argument, std::string& out) {
  out += "complete -c trainyard -n " + within(row.name);
  if (argument.operand) {
    if (!argument.words.empty()) out += " -a " + in_quotes(spaced(argument.words));
    if (argument.kind == ValueKind::File) out += " -F";
    out += "\n";
    return;
  }
  if (argument.letter != 0) out += " -s " + std::string(1, argument.letter);
  out += " -l " + argument.name;
  if (!argument.is_flag()) out += value_of(argument);
  out += " -d " + in_quotes(argument.help) + "\n";
}

}  // namespace

std::string fish_completion(const CompletionTables& tables) {
  std::string out =
      "# fish completion of trainyard; made by `trainyard completion fish`.\n"
      "\n"
      "complete -c trainyard -f\n"
      "complete -c trainyard -n __fish_use_subcommand -l help -d 'Show help'\n"
      "complete -c trainyard -n __fish_use_subcommand -l version -d 'Show the version'\n";
  for (const CompletionCommandRow& row : tables) {
    const std::size_t space = row.name.find(' ');
    if (space == std::string::npos) {
      out += "complete -c trainyard -n __fish_use_subcommand -a " + row.name + " -d " +
             in_quotes(row.summary) + "\n";
      continue;
    }
    const std::string first = row.name.substr(0, space);
    out += "complete -c trainyard -n __fish_use_subcommand -a " + first + "\n";
    out += "complete -c trainyard -n '__fish_seen_subcommand_from " + first +
           "; and not __fish_seen_subcommand_from " + spaced(second_words(tables, first)) +
           "' -a " + row.name.substr(space + 1) + " -d " + in_quotes(row.summary) + "\n";
  }
  for (const CompletionCommandRow& row : tables) {
    for (const CallArgument& argument : row.arguments) option(row, argument, out);
  }
  return out;
}

}  // namespace trainyard
