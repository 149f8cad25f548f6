#include "cli/completion.h"

namespace trainyard {
namespace {

/// Text between single quotes, within which zsh's `_arguments` reads brackets and colons itself.
std::string in_quotes(std::string_view text, bool description) {
  std::string out;
  for (char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (description && (c == '[' || c == ']' || c == ':' || c == '\\')) out += '\\';
    if (description && c == '`') continue;
    out += c;
  }
  return out;
}

std::string action(const CallArgument& row) {
  if (!row.words.empty()) return "(" + spaced(row.words) + ")";
  if (row.kind == ValueKind::File) return "_files";
  if (row.kind == ValueKind::Directory) return "_files -/";
  return " ";
}

std::string specification(const CallArgument& row) {
  const std::string what = row.operand ? row.name : row.value;
  if (row.operand) {
    return "'" + std::string(row.repeats() ? "*" : "1") + ":" + what + ":" + action(row) + "'";
  }
  const std::string text = "[" + in_quotes(row.help, true) + "]";
  const std::string value = row.is_flag() ? "" : ":" + what + ":" + action(row);
  const std::string many = row.repeats() ? "*" : "";
  const std::string equals = row.is_flag() ? "" : "=";
  std::string out = "'" + many + "--" + row.name + equals + text + value + "'";
  if (row.letter != 0) out += " '" + many + "-" + row.letter + text + value + "'";
  return out;
}

void command(const CompletionCommandRow& row, std::string& out) {
  out += "    '" + row.name + "')\n      _arguments";
  for (const CallArgument& argument : row.arguments)
    out += " \\\n        " + specification(argument);
  out += "\n      ;;\n";
}

std::string summary_of(const CompletionTables& tables, const std::string& first) {
  for (const CompletionCommandRow& row : tables) {
    if (row.name == first) return row.summary;
  }
  return spaced(second_words(tables, first));
}

}  // namespace

std::string zsh_completion(const CompletionTables& tables) {
  std::string out =
      "#compdef trainyard\n"
      "# zsh completion of trainyard; made by `trainyard completion zsh`.\n"
      "\n"
      "_trainyard() {\n"
      "  local -a commands\n"
      "  commands=(\n";
  for (const std::string& first : first_words(tables)) {
    out += "    '" + first + ":" + in_quotes(summary_of(tables, first), true) + "'\n";
  }
  out +=
      "  )\n"
      "  if ((CURRENT == 2)); then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  local command=${words[2]}\n"
      "  local -i skipped=1\n";
  for (const std::string& first : first_words(tables)) {
    const std::vector<std::string> second = second_words(tables, first);
    if (second.empty()) continue;
    out += "  if [[ $command == " + first +
           " ]]; then\n"
           "    if ((CURRENT == 3)); then\n"
           "      compadd " +
           spaced(second) +
           "\n"
           "      return\n"
           "    fi\n"
           "    command+=\" ${words[3]}\"\n"
           "    skipped=2\n"
           "  fi\n";
  }
  out +=
      "  # `_arguments` takes the first word for the program.\n"
      "  shift $skipped words\n"
      "  ((CURRENT -= skipped))\n"
      "  case $command in\n";
  for (const CompletionCommandRow& row : tables) command(row, out);
  out +=
      "  esac\n}\n\nif [[ $funcstack[1] == _trainyard ]]; then\n  _trainyard \"$@\"\nelse\n"
      "  compdef _trainyard trainyard\nfi\n";
  return out;
}

}  // namespace trainyard
