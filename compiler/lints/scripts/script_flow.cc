#include "lints/scripts/script_flow.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check/typos.h"
#include "diag/words.h"
#include "manifest/devices.h"
#include "shell/command_line.h"
#include "shell/launchers.h"
#include "shell/script.h"
#include "shell/script_commands.h"
#include "tree/typed_fields.h"

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

/// A program by its name, and where it stands.
ShellWord program_at(View script, const ScriptCommand& command, std::size_t at) {
  const ScriptWord& word = command.words[at];
  const std::string_view name = program_name(word.text);
  const std::size_t length = word.is_quoted ? word.end - word.begin : name.size();
  return {name, WordView(script, word.end - length, word.end)};
}

bool has_gpus(View container) {
  return devices_of(get(container, "resources")).all() > 0;
}

/// The program of a command that trains. Python and the programs of TAO do where there are GPUs.
std::optional<ShellWord> trainer_of(const ScriptCommand& command, View container, View script) {
  std::size_t at = 0;
  while (leads_to_program(word_of(command, at))) ++at;
  const std::string_view name = program_name(word_of(command, at));
  const std::string_view next = word_of(command, at + 1);
  const bool is_python = name.starts_with("python");
  const bool is_module =
      is_python && next == "-m" && word_of(command, at + 2).starts_with("torch.distributed.");
  const bool launches =
      is_module || (starts_ranks(name) && (name != "accelerate" || next == "launch"));
  const bool runs_file = is_python && next.ends_with(".py");
  if (!launches && !((runs_file || next == "train") && has_gpus(container))) return std::nullopt;
  return program_at(script, command, at);
}

/// Whether pods start again whatever their script says when it ends.
bool restarts_anyway(const Pod& pod, CheckContext& context) {
  constexpr auto kinds = std::to_array<std::string_view>(
      {"Pod", "Deployment", "StatefulSet", "ReplicaSet", "DaemonSet", "LeaderWorkerSet"});
  const std::string_view policy = string_at(pod.spec, "restartPolicy");
  if (!policy.empty()) return policy == "Always";
  return std::ranges::find(kinds, string_at(context.object(), "kind")) != kinds.end();
}

/// Whether a shell is told, or the script looks, how the programs in front of a `|` ended.
bool looks_at_pipes(View container) {
  if (variable(container, "SHELLOPTS")) return true;
  return any_argument(container, [](View argument) {
    return argument->text.find("pipefail") != argument->text.npos ||
           argument->text.find("PIPESTATUS") != argument->text.npos ||
           argument->text.find("pipestatus") != argument->text.npos;
  });
}

/// `torchrun a.py | tee log` as the last of a script: it ends as `tee` does.
void lost_in_pipe(const Pod& pod, View container, View script, const Commands& commands,
                  CheckContext& context) {
  if (commands.size() < 2 || commands.back()->behind != Joint::Line) return;
  if (word_of(*commands.back(), 0) != "tee" || looks_at_pipes(container)) return;
  if (restarts_anyway(pod, context)) return;
  for (std::size_t i = commands.size() - 1; i > 0 && commands[i]->before == Joint::Pipe; --i) {
    const auto trainer = trainer_of(*commands[i - 1], container, script);
    if (!trainer) continue;
    context.lint(trainer->at,
                 "a failure of " + shown(trainer->text) +
                     " counts as success: the script ends as `tee` does, behind the `|`");
    return;
  }
}

/// What takes no part in a training, and ends by itself.
bool is_brief(const ScriptCommand& command) {
  const std::string_view name = word_of(command, 0);
  const std::string_view time = word_of(command, 1);
  if (name == "echo" || name == "true") return true;
  return name == "sleep" && time.find_first_not_of("0123456789.smhd") == time.npos;
}

/// `torchrun a.py &` with nothing behind that waits for it.
void left_in_background(View container, View script, const Commands& commands,
                        CheckContext& context) {
  for (std::size_t i = commands.size(); i > 0; --i) {
    const ScriptCommand& command = *commands[i - 1];
    const auto trainer = trainer_of(command, container, script);
    if (command.behind == Joint::Background && trainer) {
      context.lint(trainer->at,
                   "nothing waits for " + shown(trainer->text) +
                       ", which a `&` puts into the background: the container ends with "
                       "the script, and counts as a success");
      return;
    }
    if (!is_brief(command) || command.behind != Joint::Line) return;
  }
}

bool never_ends(const ScriptCommand& command) {
  const std::string_view name = word_of(command, 0);
  const std::string_view first = word_of(command, 1);
  if (name == "sleep") return first == "infinity" || first == "inf";
  return name == "tail" && first == "-f" && word_of(command, 2) == "/dev/null";
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

/// `sleep infinity`, left from a look around, in front of the training.
void never_reached(View container, View script, const Commands& commands, CheckContext& context) {
  for (auto each = commands.begin(); each != commands.end(); ++each) {
    const ScriptCommand& command = **each;
    if (may_branch(command)) return;
    if (!never_ends(command) || !is_sure(command)) continue;
    if (command.behind != Joint::Line && command.behind != Joint::And) continue;
    while (++each != commands.end()) {
      const auto trainer = trainer_of(**each, container, script);
      if (!trainer) continue;
      const ShellWord waiting = program_at(script, command, 0);
      context.lint(waiting.at, shown(trainer->text) + " is never started: " + shown(waiting.text) +
                                   " in front of it does not end");
      break;
    }
    return;
  }
}

}  // namespace

void check_script_flow(const Pod& pod, View container, View script, CheckContext& context) {
  const auto read = script_in(script);
  const Commands commands = commands_of(*read);
  const std::size_t before = context.findings();
  never_reached(container, script, commands, context);
  if (context.findings() == before) lost_in_pipe(pod, container, script, commands, context);
  if (context.findings() == before) left_in_background(container, script, commands, context);
}

namespace {

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
  if (!mentions(container, kExport)) return {};
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

namespace {

/// The option of the shell that is meant by a word behind `-o`; "" for one that there is, and for
/// what is like none.
std::string_view meant_option(std::string_view word) {
  constexpr auto names = std::to_array<std::string_view>(
      {"allexport",  "braceexpand", "emacs",     "errexit", "errtrace", "functrace", "hashall",
       "histexpand", "history",     "ignoreeof", "keyword", "monitor",  "noclobber", "noexec",
       "noglob",     "nolog",       "notify",    "nounset", "onecmd",   "physical",  "pipefail",
       "posix",      "privileged",  "verbose",   "vi",      "xtrace"});
  if (std::ranges::find(names, word) != names.end()) return {};
  const auto* const near =
      std::ranges::find_if(names, [word](std::string_view name) { return is_slip_of(word, name); });
  return near == names.end() ? std::string_view() : *near;
}

/// `set -o pipefial`, `bash -eo pipefial -c ...`.
void shell_options(std::span<const ShellWord> words, CheckContext& context) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string_view word = words[i].text;
    if (word.size() < 2 || (word[0] != '-' && word[0] != '+') || !word.ends_with('o')) continue;
    const std::string_view option = words[i + 1].text;
    const std::string_view meant = meant_option(option);
    if (meant.empty()) continue;
    context.lint(words[i + 1].at, "the shell has no option " + shown(option) + "; did you mean " +
                                      shown(meant) + "?");
  }
}

}  // namespace

void check_script_syntax(const Pod& pod, CheckContext& context) {
  constexpr auto shells = std::to_array<std::string_view>({"sh", "bash", "dash", "ash"});
  if (string_at(get(pod.spec, "os"), "name") == "windows") return;
  for (const PodContainer& each : pod.containers) {
    const std::vector<View> words = arguments_of(each.node);
    const View script = script_of(words);
    const std::string_view text = string_of(script);
    if (text.find_first_of(" \t\n\r") == text.npos || text.find("{{") != text.npos) continue;
    const std::size_t program = place_of_program(words);
    const std::string_view shell = program_name(string_of(words[program]));
    if (std::ranges::find(shells, shell) == shells.end()) continue;
    const auto place = [&](std::size_t at) {
      return words.begin() + static_cast<std::ptrdiff_t>(at);
    };
    const std::size_t end = shell_call(words, program).script;
    shell_options(argument_words({place(program), place(end)}), context);
    const auto read = script_in(script);
    each_command(argument_words({script}), [&](std::span<const ShellWord> command) {
      if (command[0].text == "set") shell_options(command, context);
    });
    if (!read->fault) continue;
    context.lint(WordView(script, read->fault->begin, read->fault->end),
                 "the shell cannot read the script: " + read->fault->what);
  }
}

}  // namespace trainyard
