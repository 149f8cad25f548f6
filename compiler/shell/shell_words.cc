#include "shell/shell_words.h"

#include <algorithm>
#include <array>

#include "source/characters.h"

namespace trainyard {
namespace {

/// The name in a `${NAME}` or `${NAME:-...}` that starts at `open`; "" for what no shell would
/// expand either, such as the `${oc.env:HOME}` of a configuration language.
std::string_view shell_name(std::string_view text, std::size_t open) {
  const std::string_view rest = text.substr(open + 2);
  if (rest.empty() || !starts_shell_name(rest.front())) return {};
  const std::size_t end = rest.find_first_not_of(kShellNameCharacters);
  if (end == rest.npos) return {};
  const bool ends = rest[end] == '}';
  const bool changes = std::string_view("-+?%#/").find(rest[end]) != rest.npos;
  const bool has_default = rest[end] == ':' && end + 1 < rest.size() &&
                           std::string_view("-+?=").find(rest[end + 1]) != rest.npos;
  return ends || changes || has_default ? rest.substr(0, end) : std::string_view();
}

}  // namespace

bool starts_shell_name(char c) {
  return is_letter(c) || c == '_';
}

std::string_view assigned_name(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == word.npos || equals == 0 || !starts_shell_name(word[0])) return {};
  std::string_view name = word.substr(0, equals);
  if (name.ends_with('+')) name.remove_suffix(1);
  return name.find_first_not_of(kShellNameCharacters) == name.npos ? name : std::string_view();
}

std::string_view shell_variable(std::string_view text) {
  for (std::size_t at = text.find('$'); at != text.npos; at = text.find('$', at)) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("${")) {
      const std::string_view name = shell_name(text, at);
      if (!name.empty()) return name;
    }
    at += rest.starts_with("$$") ? 2U : 1U;
  }
  return {};
}

bool is_shell(std::string_view program) {
  const std::string_view name = program.substr(program.rfind('/') + 1);
  return name == "sh" || name == "bash" || name == "zsh" || name == "dash" || name == "ash";
}

std::string shell_quoted(std::string_view word) {
  constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=@%+,-";
  if (!word.empty() && word.find_first_not_of(kSafe) == word.npos) return std::string(word);
  std::string quoted = "'";
  for (char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string_view variable_of_images(std::string_view text) {
  constexpr auto names =
      std::to_array<std::string_view>({"PATH", "LD_LIBRARY_PATH", "PYTHONPATH", "HOME", "PWD"});
  for (std::size_t at = text.find('$'); at != text.npos; at = text.find('$', at + 1)) {
    std::string_view rest = text.substr(at + 1);
    if (rest.starts_with('{')) rest.remove_prefix(1);
    const std::string_view name = rest.substr(0, rest.find_first_not_of(kShellNameCharacters));
    const bool is_escaped = at > 0 && text[at - 1] == '$';
    if (!is_escaped && std::ranges::find(names, name) != names.end()) return name;
  }
  return {};
}

// IEEE Std 1003.1, Shell Command Language, 2.2 Quoting.
std::optional<std::vector<std::string>> shell_words(std::string_view line) {
  constexpr std::string_view kEscaped = "\"\\$`";  // in double quotes
  std::vector<std::string> words;
  bool is_open = false;
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool is_blank = quote == '\0' && (c == ' ' || c == '\t' || c == '\n');
    if (!is_blank && !is_open) words.emplace_back();
    is_open = !is_blank;
    if (is_blank) continue;
    const bool escapes = c == '\\' && quote != '\'' && i + 1 < line.size();
    if (escapes && (quote == '\0' || kEscaped.find(line[i + 1]) != kEscaped.npos)) {
      words.back() += line[++i];
    } else if (c == quote) {
      quote = '\0';
    } else if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else {
      words.back() += c;
    }
  }
  if (quote != '\0') return std::nullopt;
  return words;
}

std::vector<std::string> shell_words_or_whole(std::string_view line) {
  return shell_words(line).value_or(std::vector<std::string>{std::string(line)});
}

}  // namespace trainyard
