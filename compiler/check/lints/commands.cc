// Command lines whose words are cut where the program does not expect it.

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "check/check.h"
#include "check/command_line.h"
#include "check/read.h"
#include "check/tables.h"
#include "schema/words.h"
#include "source/shell.h"

namespace trainyard {
namespace {

constexpr std::string_view kBlanks = " \t\n\r";

bool has_blank(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  return std::ranges::any_of(text, is_blank);
}

/// The arguments of a container, those of `command` in front.
std::vector<View> arguments_of(View container) {
  std::vector<View> found;
  for (std::string_view field : {"command", "args"}) {
    for (View argument : items_at(container, field)) found.push_back(argument);
  }
  return found;
}

/// A program with its arguments in one word, as in `command: ["python train.py"]`. On Windows names
/// of programs hold blanks, and `$(NAME)` may stand for anything.
void one_word(View container, CheckContext& context) {
  const Items command = items_at(container, "command");
  if (command.begin() == command.end()) return;
  const View program = *command.begin();
  const std::string_view text = string_of(program);
  if (!has_blank(text) || text.find_first_of("\\$") != text.npos) return;
  const std::string_view first = text.substr(0, text.find_first_of(kBlanks));
  if (first.empty()) return;
  context.lint(program, "no program has the name " + shown(text) + ": it is one word, and " +
                            shown(first) + " is not started");
}

/// Programs in front of a shell that start what follows.
bool passes_on(std::string_view word) {
  constexpr auto names = std::to_array<std::string_view>({"tini", "dumb-init", "env", "exec"});
  return word.starts_with('-') ||
         std::ranges::find(names, word.substr(word.rfind('/') + 1)) != names.end();
}

/// What stands behind the options of a shell, and whether it is a script by `-c`.
struct ShellCall {
  std::size_t script = 0;
  bool by_option = false;
};

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

/// Whether a script looks at its own arguments: `$@`, `${1}`, `$#`, `shift`.
bool takes_arguments(std::string_view script) {
  for (std::size_t at = script.find('$'); at != script.npos; at = script.find('$', at + 1)) {
    std::size_t next = at + 1;
    while (next < script.size() &&
           (script[next] == '{' || script[next] == '#' || script[next] == '!')) {
      if (script[next] == '#') return true;
      ++next;
    }
    if (next < script.size() &&
        std::string_view("0123456789@*").find(script[next]) != script.npos) {
      return true;
    }
  }
  for (std::string_view word : {"shift", "getopts", "BASH_ARGV"}) {
    if (script.find(word) != script.npos) return true;
  }
  return false;
}

/// `sh -c "python train.py" --lr 1`: the words behind a script go to it, and not to its last
/// program.
void lost_words(const std::vector<View>& words, std::size_t script, CheckContext& context) {
  const std::string_view text = string_of(words[script]);
  if (!has_blank(text) || takes_arguments(text) || text.find("$(") != text.npos) return;
  for (std::size_t i = script + 1; i < words.size(); ++i) {
    const std::string_view word = string_of(words[i]);
    if (word.size() < 2 || word[0] != '-' || word == "--") continue;
    context.lint(words[i],
                 "the script does not take " + shown(word) +
                     ": words behind it are its `$0`, `$1`..., and not those of its last program",
                 Severity::Warning);
    return;
  }
}

/// `sh -c python train.py` runs `python`, and `bash "python train.py"` looks for a file.
void cut_script(const std::vector<View>& words, CheckContext& context) {
  std::size_t shell = 0;
  while (shell < words.size() && passes_on(string_of(words[shell]))) ++shell;
  if (shell >= words.size() || !is_shell(string_of(words[shell]))) return;
  const ShellCall call = shell_call(words, shell);
  if (call.script >= words.size()) return;
  const View script = words[call.script];
  const std::string_view text = string_of(script);
  if (text.empty()) return;
  if (!call.by_option) {
    if (!has_blank(text)) return;
    context.lint(script, "a shell without `-c` takes " + shown(text) + " for the name of a file",
                 Severity::Error);
  } else if (call.script + 1 < words.size() && !has_blank(text) &&
             text.find('$') == text.npos) {  // `"$@"` takes the words behind
    context.lint(script,
                 "the shell runs " + shown(text) +
                     " alone: with `-c` one word is the script, and those behind it are "
                     "its `$0`, `$1`...",
                 Severity::Warning);
  } else {
    lost_words(words, call.script, context);
  }
}

/// A `\` joins two lines where it is the last of the first one. Before a blank it makes that a
/// part of a word: the line ends behind it, or, where YAML has folded the lines, the next option
/// begins with a blank.
void escaped_blank(View container, const std::vector<View>& words, CheckContext& context) {
  if (!may_run_shell(container)) return;
  for (View argument : words) {
    const std::string_view text = string_of(argument);
    if (text.find('\\') == text.npos) continue;
    if (text.find("<<") != text.npos) continue;  // what follows may be another program's text
    char quote = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (quote != 0) {
        if (c == '\\' && quote == '"') ++i;
        if (c == quote) quote = 0;
      } else if (c == '\'' || c == '"') {
        quote = c;
      } else if (c == '#' && (i == 0 || kBlanks.find(text[i - 1]) != kBlanks.npos)) {
        i = std::min(text.find('\n', i), text.size());
      } else if (c == '\\') {
        const std::size_t end = std::min(text.find_first_not_of(" \t", i + 1), text.size());
        const bool blank_before = i > 0 && kBlanks.find(text[i - 1]) != kBlanks.npos;
        ++i;
        if (end == i || end == text.size() || !blank_before) continue;
        if (text[end] != '\n' && text[end] != '-') continue;
        const std::size_t line = text.rfind('\n', i) + 1;  // 0 where there is none
        const std::string_view before = text.substr(line, i - 1 - line);
        context.lint(argument,
                     text[end] == '\n'
                         ? "a blank stands behind the `\\` of " + shown(before) +
                               ": the command ends with this line"
                         : "behind " + shown(before) + " a `\\` makes the blank a part of " +
                               shown(text.substr(end, text.find_first_of(kBlanks, end) - end)) +
                               ": lines are folded here, and need no `\\`",
                     Severity::Warning);
        break;
      }
    }
  }
}

/// Launchers that take `--name value` as two words, or as one with `=`.
bool is_launcher(std::string_view word) {
  constexpr auto names = std::to_array<std::string_view>(
      {"torchrun", "mpirun", "mpiexec", "accelerate", "deepspeed", "horovodrun"});
  const std::string_view name = word.substr(word.rfind('/') + 1);
  return name.starts_with("python") || std::ranges::find(names, name) != names.end();
}

/// `--nnodes 4` as one word. Behind an option it may be that option's value.
void joined_option(const std::vector<View>& words, CheckContext& context) {
  if (words.empty() || !is_launcher(string_of(words.front()))) return;
  std::string_view before;
  for (View argument : words) {
    const std::string_view text = string_of(argument);
    const bool may_be_value = before.starts_with('-') && before.find('=') == before.npos;
    before = text;
    if (may_be_value || !text.starts_with('-')) continue;
    const std::size_t end = text.find_first_of(kBlanks);
    const std::string_view name = text.substr(0, end);
    if (end == text.npos || name.find('=') != name.npos) continue;
    const std::string_view rest = name.substr(std::min(name.find_first_not_of('-'), name.size()));
    const auto is_part = [](char c) {
      return kShellNameCharacters.find(c) != std::string_view::npos || c == '-';
    };
    if (rest.size() < 2 || !starts_shell_name(rest.front()) ||
        !std::ranges::all_of(rest, is_part)) {
      continue;
    }
    context.lint(argument,
                 shown(text) +
                     " is one word: the program looks for an option of that "
                     "name, blank and value included",
                 Severity::Warning);
  }
}

/// Dashes that an office program or a web page has made of `-` or `--`.
void typographic_dash(View container, const std::vector<View>& words, CheckContext& context) {
  constexpr auto dashes = std::to_array<std::string_view>({"\xE2\x80\x93", "\xE2\x80\x94"});
  const auto may_hold_one = [](View word) { return word->text.find('\xE2') != std::string::npos; };
  if (std::ranges::none_of(words, may_hold_one)) return;
  for (const ShellWord& word : command_words(container)) {
    for (std::string_view dash : dashes) {
      const std::string_view text = word.text;
      if (!text.starts_with(dash)) continue;
      const std::string_view rest = text.substr(dash.size());
      const bool option = !rest.empty() && (starts_shell_name(rest.front()) || rest[0] == '-');
      if (!option) continue;
      context.lint(word.at,
                   shown(text) + " begins with a long dash, which no program takes for `-`",
                   Severity::Warning);
      return;
    }
  }
}

void command_words_of(const Pod& pod, CheckContext& context) {
  const std::string_view system = string_at(get(pod.spec, "os"), "name");
  if (system == "windows") return;
  // KubeRay makes one script of `command` and `args`.
  if (string_at(context.object(), "apiVersion").starts_with("ray.io/")) return;
  for (const PodContainer& each : pod.containers) {
    const std::vector<View> words = arguments_of(each.node);
    one_word(each.node, context);
    cut_script(words, context);
    escaped_blank(each.node, words, context);
    joined_option(words, context);
    typographic_dash(each.node, words, context);
  }
}

constexpr Check kChecks[] = {
    {.name = "command-words",
     .on = "pod",
     .sentence = "The words of a command are those that the program, or the shell, expects.",
     .source = "kubernetes/website "
               "content/en/docs/tasks/inject-data-application/define-command-argument-container.md",
     .pod = command_words_of,
     .because = "Each item of `command` and `args` is one word: no shell cuts it at blanks, and "
                "none puts items together.",
     .fix = "give each word an item of its own, or start `[bash, -c, \"the whole script\"]`"},
};

}  // namespace

const std::span<const Check> command_lints = kChecks;

}  // namespace trainyard
