#include "cli/completion.h"

#include <algorithm>
namespace trainyard {
namespace {

/// What completes a value: a command of bash that fills COMPREPLY.
std::string action(const CallArgument& row) {
  if (!row.words.empty()) return "_trainyard_words '" + spaced(row.words) + "'";
  if (row.kind == ValueKind::File) return "_trainyard_files -f";
  if (row.kind == ValueKind::Directory) return "_trainyard_files -d";
  return "COMPREPLY=()";
}

std::string options_of(const CompletionCommandRow& row) {
  std::vector<std::string> words;
  for (const CallArgument& argument : row.arguments) {
    if (!argument.operand) words.push_back("--" + argument.name);
  }
  return spaced(words);
}

/// `name)` and what there is to complete for one command.
void command(const CompletionCommandRow& row, const CompletionTables& tables, std::string& out) {
  out += "    '" + row.name + "')\n      case $previous in\n";
  const auto taken = std::ranges::find_if(row.arguments, &CallArgument::operand);
  const std::string operand = taken == row.arguments.end() ? "COMPREPLY=()" : action(*taken);
  for (const CallArgument& argument : row.arguments) {
    if (argument.operand || argument.is_flag()) continue;
    out += "        ";
    if (argument.letter != 0) out += "-" + std::string(1, argument.letter) + " | ";
    out += "--" + argument.name + ") " + action(argument) + "; return ;;\n";
  }
  // `help` takes the words of a command one by one.
  for (const std::string& first : first_words(tables)) {
    const std::vector<std::string> second = second_words(tables, first);
    if (row.name != "help" || second.empty()) continue;
    out += "        " + first + ") _trainyard_words '" + spaced(second) + "'; return ;;\n";
  }
  out += "      esac\n      if [[ $current == -* ]]; then\n        _trainyard_words '" +
         options_of(row) + "'\n      else\n        " + operand + "\n      fi\n      ;;\n";
}

}  // namespace

std::string bash_completion(const CompletionTables& tables) {
  std::string out =
      "# bash completion of trainyard; made by `trainyard completion bash`.\n"
      "\n"
      "_trainyard_words() {\n"
      "  local IFS=$' \\n'\n"
      "  COMPREPLY=($(compgen -W \"$1\" -- \"$current\"))\n"
      "}\n"
      "\n"
      "_trainyard_files() {\n"
      "  local IFS=$'\\n'\n"
      "  compopt -o filenames 2>/dev/null\n"
      "  COMPREPLY=($(compgen \"$1\" -- \"$current\"))\n"
      "}\n"
      "\n"
      "_trainyard() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
      "  # bash takes `=` for a word of its own.\n"
      "  if [[ $current == '=' ]]; then\n"
      "    current=''\n"
      "  elif [[ $previous == '=' && COMP_CWORD -gt 1 ]]; then\n"
      "    previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
      "  fi\n"
      "  local command=${COMP_WORDS[1]}\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    _trainyard_words '" +
      spaced(first_words(tables)) +
      " --help --version'\n"
      "    return\n"
      "  fi\n";
  for (const std::string& first : first_words(tables)) {
    const std::vector<std::string> second = second_words(tables, first);
    if (second.empty()) continue;
    out += "  if [[ $command == " + first +
           " ]]; then\n"
           "    if ((COMP_CWORD == 2)); then\n"
           "      _trainyard_words '" +
           spaced(second) +
           "'\n"
           "      return\n"
           "    fi\n"
           "    command+=\" ${COMP_WORDS[2]}\"\n"
           "  fi\n";
  }
  out += "  case $command in\n";
  for (const CompletionCommandRow& row : tables) command(row, tables, out);
  out += "  esac\n}\n\ncomplete -F _trainyard trainyard\n";
  return out;
}

}  // namespace trainyard
