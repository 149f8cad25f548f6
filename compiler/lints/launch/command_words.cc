// Command lines whose words are cut where the program does not expect it.

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "check/check.h"
#include "diag/words.h"
#include "lints/launch/mounted_programs.h"
#include "lints/launch/mpi_hosts.h"
#include "lints/launch/typographic_marks.h"
#include "lints/scripts/comment_in_command.h"
#include "lints/tables.h"
#include "shell/command_line.h"
#include "shell/launchers.h"
#include "shell/script.h"
#include "shell/script_commands.h"
#include "shell/shell_words.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kBlanks = " \t\n\r";
constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool has_blank(std::string_view text) {
  return std::ranges::any_of(text, is_blank);
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

/// Whether a script looks at its own arguments: `$@`, `${1}`, `$#`, `shift`, `for word; do`.
bool takes_arguments(const Script& script) {
  const auto is_argument = [](const Expansion& each) {
    return each.kind == Expansion::Kind::Variable &&
           (each.name.starts_with("BASH_ARG") || each.name.find_first_of("0123456789@*#") == 0);
  };
  const auto takes_one = [&script](const ScriptCommand& each) {
    return (script.head(each) == "for" && each.words.size() == 1) ||
           std::ranges::any_of(each.words, [](const ScriptWord& word) {
             return word.text == "shift" || word.text == "getopts";
           });
  };
  return std::ranges::any_of(script.expansions, is_argument) ||
         std::ranges::any_of(script.commands, takes_one);
}

/// Launchers that take `--name value` as two words, or as one with `=`.
bool is_launcher(std::string_view word) {
  return program_name(word).starts_with("python") || starts_ranks(program_name(word));
}

/// Programs that make things ready for what comes behind: `set -ex`.
constexpr auto kPreparers =
    std::to_array<std::string_view>({"set", "cd", "export", "ulimit", "umask", "unset"});
/// Those that read commands from elsewhere.
constexpr auto kReaders = std::to_array<std::string_view>({".", "source", "eval"});

/// How many commands of a script there are, and how many of them start a program of `names`.
std::pair<std::size_t, std::size_t> count_of(View script, std::span<const std::string_view> names) {
  std::pair<std::size_t, std::size_t> count;
  each_command(argument_words({script}), [&](std::span<const ShellWord> command) {
    ++count.first;
    if (std::ranges::find(names, command[0].text) != names.end()) ++count.second;
  });
  return count;
}

/// `sh -c "set -e" "python train.py"`: of two scripts the shell runs the first.
bool lost_script(const std::vector<View>& words, std::size_t script, CheckContext& context) {
  if (script + 1 == words.size()) return false;
  const View next = words[script + 1];
  const std::string_view text = string_of(next);
  const std::string_view first = text.substr(0, text.find_first_of(kBlanks));
  if (first.empty() || first.starts_with('-')) return false;
  const auto [commands, preparing] = count_of(words[script], kPreparers);
  const bool starts_nothing = commands == preparing;
  if (!starts_nothing && (first == text || !is_launcher(first))) return false;
  context.lint(next,
               "the shell does not run " + shown(first) +
                   ": with `-c` one word is the script, and those behind it are its `$0`, `$1`...",
               starts_nothing ? Severity::Error : Severity::Warning);
  return true;
}

/// `sh -c "python train.py" --lr 1`: the words behind a script go to it, and not to its last
/// program.
void lost_words(const std::vector<View>& words, std::size_t script, CheckContext& context) {
  const std::string_view text = string_of(words[script]);
  if (!has_blank(text) || text.find("$(") != text.npos) return;
  if (takes_arguments(*script_in(words[script]))) return;
  if (count_of(words[script], kReaders).second != 0) return;  // which sees `$@` as well
  if (lost_script(words, script, context)) return;
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
  const std::size_t shell = place_of_program(words);
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
/// begins with a blank. False where the word is no such one.
bool escaped_blank(View argument, const ScriptWord& word, CheckContext& context) {
  const std::string_view text = argument->text;
  const std::size_t blank = word.begin + 1;
  const std::size_t end = std::min(text.find_first_not_of(" \t", blank), text.size());
  if (text[word.begin] != '\\' || word.begin == 0 || end == blank || end == text.size())
    return false;
  if (text[end] != '\n' && text[end] != '-') return false;
  const std::size_t line = text.rfind('\n', blank) + 1;  // 0 where there is none
  const std::string_view before = text.substr(line, word.begin - line);
  context.lint(argument,
               text[end] == '\n'
                   ? "a blank stands behind the `\\` of " + shown(before) +
                         ": the command ends with this line"
                   : "behind " + shown(before) + " a `\\` makes the blank a part of " +
                         shown(text.substr(end, text.find_first_of(kBlanks, end) - end)) +
                         ": lines are folded here, and need no `\\`",
               Severity::Warning);
  return true;
}

void escaped_blanks(View container, const std::vector<View>& words, CheckContext& context) {
  if (!may_run_shell(container)) return;
  for (View argument : words) {
    const std::string_view text = string_of(argument);
    if (text.find('\\') == text.npos) continue;
    const auto script = script_in(argument);
    const auto is_told = [&](const ScriptWord& word) {
      return escaped_blank(argument, word, context);
    };
    for (const ScriptCommand& command : script->commands) {
      if (std::ranges::any_of(command.words, is_told)) break;
    }
  }
}

/// `--nnodes=4`: behind a number no option can be meant to belong to the value.
bool is_numbered(std::string_view option) {
  return plain_number(option.substr(option.find('=') + 1)).has_value();
}

/// Whether the program takes `--name value` as two words: a launcher, or vLLM's image.
bool takes_two_words(View container, const std::vector<View>& words) {
  if (words.empty()) return false;
  const bool is_vllm = !has_items(get(container, "command")) &&
                       string_at(container, "image").find("vllm/vllm-openai") != std::string::npos;
  return is_vllm || is_launcher(string_of(words.front()));
}

/// `--nnodes 4` as one word. Behind an option it may be that option's value.
void joined_option(View container, const std::vector<View>& words, CheckContext& context) {
  if (!takes_two_words(container, words)) return;
  std::string_view before;
  for (View argument : words) {
    const std::string_view text = string_of(argument);
    const bool may_be_value = before.starts_with('-') && before.find('=') == before.npos;
    before = text;
    if (may_be_value || !text.starts_with('-')) continue;
    const auto end = static_cast<std::size_t>(std::ranges::find_if(text, is_blank) - text.begin());
    const std::string_view name = text.substr(0, end);
    if (end == text.size()) continue;
    if (const std::size_t next = text.find_first_not_of(kBlanks, end);
        name.find('=') != name.npos && next != text.npos && is_numbered(name) &&
        text.substr(next).starts_with("--")) {
      context.lint(argument,
                   shown(text) + " is one word: the value of the first option has the others in it",
                   Severity::Warning);
    }
    if (name.find('=') != name.npos) continue;
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

/// A line of options of its own: the line before it lacks its `\`, or a comment stands between
/// them, behind which no `\` counts. In `ARGS=(...)` and as patterns of `case` options do stand
/// alone.
void lone_options(View argument, std::span<const ShellWord> words, CheckContext& context) {
  const std::string_view option = words.front().text;
  if (!option.starts_with("--") || option.size() < 3 || !starts_shell_name(option[2])) return;
  const std::string_view text = argument->text;
  if (text.find("=(") != text.npos || text.find("esac") != text.npos ||
      option.find_first_of("()") != option.npos) {
    return;
  }
  context.lint(words.front().at,
               "the shell looks for a program " + shown(option) +
                   ": the line before it does not end with `\\`, or is a comment",
               Severity::Warning);
}

/// A script on a line of its own behind a launcher that has none: the line before it lacks its `\`.
void lone_script(std::span<const ShellWord> before, std::span<const ShellWord> words,
                 CheckContext& context) {
  const std::string_view script = words.front().text;
  if (!script.ends_with(".py") || script.find('/') != script.npos || before.empty()) return;
  if (!starts_ranks(program_name(before.front().text))) return;
  for (std::size_t i = 1; i < before.size(); ++i) {
    const std::string_view word = before[i].text;
    const bool is_value = before[i - 1].text.starts_with('-');
    if (word.ends_with(".py") || word == "-m" || word.starts_with("python")) return;
    if (word.starts_with('$') && !is_value) return;  // which may hold a script
  }
  context.lint(words.front().at,
               "the shell looks for a program " + shown(script) + ", and " +
                   shown(before.front().text) +
                   " has no script: the line before it does not end with `\\`",
               Severity::Warning);
}

/// Programs that start no other one, however their arguments read.
bool starts_none(std::span<const ShellWord> words) {
  constexpr auto names = std::to_array<std::string_view>(
      {"pip", "pip3", "set", "cd", "export", "mkdir", "source", ".", "apt-get", "apt", "ulimit",
       "unset", "chmod", "cp", "rm", "git"});
  const std::string_view first = words[0].text;
  if (program_name(first).starts_with("python")) {
    return words.size() > 2 && words[1].text == "-m" && words[2].text == "pip";
  }
  return std::ranges::find(names, first) != names.end();
}

/// Lines that YAML has folded into one (`>`), or that nothing separates: the second command is
/// taken for arguments of the first.
void swallowed_command(std::span<const ShellWord> words, CheckContext& context) {
  if (!starts_none(words)) return;
  if (words.size() > 1 && words[0].text == "set" && words[1].text == "--") return;
  for (std::size_t i = 2; i + 1 < words.size(); ++i) {
    const std::string_view word = words[i].text;
    const std::string_view next = words[i + 1].text;
    const std::string_view name = program_name(word);
    const bool starts = name == "torchrun" || name == "mpirun" || name == "horovodrun" ||
                        name == "python" || name == "python3" ||
                        (name == "accelerate" && next == "launch");
    // `apt-get install python3 --no-install-recommends`
    const bool has_option = next.starts_with("--") && !name.starts_with("python");
    const bool goes_on = has_option || next.ends_with(".py") || next == "launch" || next == "-m" ||
                         next == "-np" || next == "-n";
    if (!starts || !goes_on) continue;
    context.lint(words[i].at,
                 shown(word) + " is an argument of " + shown(words[0].text) +
                     " here: nothing ends the command between them",
                 Severity::Warning);
    return;
  }
}

/// A word that `export` cannot take: behind `NAME=value` there are names and no options.
bool is_no_variable(std::string_view word) {
  return word.starts_with('/') || (word.size() > 1 && word[0] == '-' && word != "--");
}

/// `export NODE_RANK=0 tao train -e /spec.yaml`, as folded lines read.
void exported_command(std::span<const ShellWord> words, CheckContext& context) {
  if (words.size() < 3 || words[0].text != "export") return;
  // `${NAME:-a b}`, redirections and lists are not taken apart as a shell does it.
  const auto is_whole = [](const ShellWord& word) {
    const bool is_open = std::ranges::count(word.text, '{') != std::ranges::count(word.text, '}');
    return !is_open && word.text.find_first_of("<>()`") == word.text.npos;
  };
  if (!std::ranges::all_of(words, is_whole) || words[1].text.find('=') == std::string::npos) return;
  for (const ShellWord& word : words.subspan(2)) {
    if (!is_no_variable(word.text)) continue;
    context.lint(word.at,
                 shown(word.text) +
                     " is an argument of `export` here, which takes variables: "
                     "nothing ends the command in front of the next one",
                 Severity::Error);
    return;
  }
}

/// A comment goes on to the end of its line, which is that of the script where YAML has folded it.
void swallowed_by_comment(View argument, CheckContext& context) {
  const std::string_view text = argument->text;
  if (text.find('\n') != text.npos && text.find('\n') + 1 != text.size()) return;
  if (text.starts_with("sleep") || text.starts_with("tail")) return;  // to look around
  const auto script = script_in(argument);
  if (script->comments.empty()) return;
  const std::string_view rest = text.substr(script->comments[0]);
  for (std::string_view launcher : {" torchrun -", " mpirun -", " accelerate launch "}) {
    const std::size_t at = rest.find(launcher);
    if (at == rest.npos) continue;
    const std::size_t end = rest.find_first_of(kBlanks, at + 1);
    context.lint(argument,
                 shown(rest.substr(at + 1, end - at - 1)) +
                     " stands behind a `#`, and so in a comment: the script is one line",
                 Severity::Warning);
    return;
  }
}

/// Commands of a script that end too soon or too late.
void cut_commands(const std::vector<View>& words, CheckContext& context) {
  const View script = script_of(words);
  const std::string_view text = string_of(script);
  if (!has_blank(text) || text.find("<<") != text.npos) return;
  const std::size_t before = context.findings();
  std::span<const ShellWord> last;
  const ShellWords all = argument_words({script});
  each_command(all, [&](std::span<const ShellWord> command) {
    if (context.findings() != before) return;
    if (!last.empty()) lone_options(script, command, context);
    lone_script(std::exchange(last, command), command, context);
    swallowed_command(command, context);
    if (context.findings() == before) exported_command(command, context);
  });
  swallowed_by_comment(script, context);
  if (context.findings() == before) check_comment_in_command(script, context);
}

/// Commands of a shell that are no programs: `[cd, /work, "&&", python, train.py]`.
bool is_part_of_shell(std::string_view program) {
  constexpr auto names = std::to_array<std::string_view>(
      {"cd", "source", ".", "export", "set", "eval", "exec", "if", "for"});
  return std::ranges::find(names, program) != names.end();
}

/// Words for a shell, where there is none to read them: `[python, train.py, "|", tee, log]`.
void shell_words_without_shell(View container, const std::vector<View>& words,
                               CheckContext& context) {
  if (has_items(get(container, "command")) && !words.empty() &&
      is_part_of_shell(string_of(words.front()))) {
    context.lint(words.front(),
                 shown(string_of(words.front())) +
                     " is a command of the shell, and no program: no shell reads this");
    return;
  }
  constexpr auto marks =
      std::to_array<std::string_view>({"&&", "||", "|", ">", ">>", "<", "2>&1", "2>", "&>"});
  const std::size_t program = place_of_program(words);
  if (program >= words.size()) return;
  const std::string_view first = string_of(words[program]);
  const bool is_of_shell = first == "cd" || first == "source" || first == "export";
  if (is_of_shell) {
    context.lint(words[program], shown(first) + " is a command of a shell, and none is started");
    return;
  }
  if (!is_launcher(first)) return;
  for (std::size_t i = program + 1; i < words.size(); ++i) {
    const std::string_view text = string_of(words[i]);
    if (text == "-c" || is_shell(text)) return;  // a shell reads them after all
    if (std::ranges::find(marks, text) != marks.end()) {
      context.lint(words[i], "no shell sees " + shown(text) + ": it is an argument of " +
                                 shown(string_of(words[program])));
      return;
    }
    const std::size_t blank = text.find(' ');
    if (blank == text.npos || !text.substr(0, blank).ends_with(".py") || text[0] == '-') continue;
    context.lint(words[i], "no file has the name " + shown(text) + ": it is one word");
    return;
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
    const std::size_t before = context.findings();
    escaped_blanks(each.node, words, context);
    if (context.findings() == before) cut_commands(words, context);
    joined_option(each.node, words, context);
    check_exported_variables(each.node, context);
    shell_words_without_shell(each.node, words, context);
    check_typographic_marks(each.node, words, context);
  }
}

constexpr Check kChecks[] = {
    {.name = "read-only-output",
     .group = CheckGroup::Storage,
     .effect = Effect::NeverRuns,
     .sentence = "No program writes to a volume that is mounted read-only.",
     .source = "kubernetes/api core/v1/types.go VolumeMount: readOnly; huggingface/transformers "
               "src/transformers/training_args.py output_dir; NVIDIA/Megatron-LM "
               "megatron/training/arguments.py save",
     .pod = check_read_only_output,
     .severity = Severity::Warning,
     .because = "The first checkpoint ends the job, which may be hours after its start.",
     .fix = "leave `readOnly` out of the mount and of the volume, or write elsewhere"},
    {.name = "ssh-key-mode",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "A private key for ssh is for its owner alone.",
     .source = "openssh/openssh-portable authfile.c sshkey_perm_ok",
     .pod = check_ssh_key_mode,
     .severity = Severity::Warning,
     .because = "ssh ignores such a key, and mpirun reaches no other pod. A volume of a Secret "
                "cannot be changed from inside.",
     .fix = "write `defaultMode: 0400` in the volume"},
    {.name = "script-mode",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "A file of a ConfigMap or a Secret that is started as a program may be executed.",
     .source = "kubernetes/api core/v1/types.go ConfigMapVolumeSource: defaultMode",
     .pod = check_script_mode,
     .because = "The files of such a volume have mode 0644 unless the volume says otherwise: the "
                "container ends with `permission denied`, that of root too.",
     .fix = "write `defaultMode: 0755` in the volume, or start the interpreter with the file as "
            "its argument; name the file in `subPath` where the mount is to be one"},
    {.name = "hidden-program",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "No volume is mounted over the system of an image, and no empty one over the "
                 "program that a container starts.",
     .source = "kubernetes/website content/en/docs/concepts/storage/volumes.md: emptyDir",
     .pod = check_hidden_program,
     .because = "A volume hides what the image has at its place, and an `emptyDir` begins empty: "
                "there is no such file.",
     .fix = "mount the volume at a folder of its own, or let an init container fill it"},
    {.name = "command-words",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
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
