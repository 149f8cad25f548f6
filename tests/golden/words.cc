#include "golden/words.h"

namespace trainyard::golden {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

struct Word {
  std::string text;
  bool quoted = false;
};

std::optional<Word> next_word(std::string_view line, std::size_t& at) {
  Word word;
  char quote = 0;
  for (; at < line.size() && (quote != 0 || !is_blank(line[at])); ++at) {
    const char c = line[at];
    if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
      word.quoted = true;
    } else if (quote != 0 && c == quote) {
      quote = 0;
    } else if (c == '\\' && quote != '\'' && at + 1 < line.size()) {
      word.text += line[++at];
      word.quoted = true;
    } else {
      word.text += c;
    }
  }
  if (quote != 0) return std::nullopt;
  return word;
}

}  // namespace

std::optional<Command> parse_command(std::string_view line) {
  Command command{std::string(line), {}, {}};
  bool expects_input = false;
  for (std::size_t at = 0;;) {
    while (at < line.size() && is_blank(line[at])) ++at;
    if (at == line.size()) break;
    const std::optional<Word> word = next_word(line, at);
    if (!word) return std::nullopt;
    if (expects_input) {
      command.input = word->text;
      expects_input = false;
    } else if (word->text == "<" && !word->quoted) {
      expects_input = true;
    } else {
      command.words.push_back(word->text);
    }
  }
  if (expects_input) return std::nullopt;
  return command;
}

std::optional<std::vector<Command>> parse_commands(std::string_view text) {
  std::vector<Command> commands;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos || line[first] == '#') continue;
    std::optional<Command> command = parse_command(line);
    if (!command) return std::nullopt;
    commands.push_back(std::move(*command));
  }
  return commands;
}

}  // namespace trainyard::golden
