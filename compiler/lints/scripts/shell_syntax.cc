// Scripts that their shell cannot read, does not understand, or leaves too early.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "check/check.h"
#include "check/object_number.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "shell/command_line.h"
#include "shell/launchers.h"
#include "shell/script.h"
#include "shell/script_commands.h"
#include "shell/shell_words.h"
#include "spec/known_images.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

using Joint = ScriptCommand::Joint;
using Kind = ScriptCommand::Kind;

/// A script that a container gives to a shell by `-c`.
struct GivenScript {
  View container;
  View text;
  std::string_view shell;  // its name
  std::shared_ptr<const Script> read;
};

std::vector<GivenScript> read_scripts(const Pod& pod, const CheckContext& context) {
  std::vector<GivenScript> scripts;
  // KubeRay makes one script of `command` and `args`.
  if (string_at(context.object(), "apiVersion").starts_with("ray.io/")) return scripts;
  for (const PodContainer& each : pod.containers) {
    const std::vector<View> words = arguments_of(each.node);
    const View script = script_of(words);
    // A template is no script before it is rendered.
    if (string_of(script).find_first_of(" \n") == std::string_view::npos ||
        script->text.find("{{") != std::string::npos) {
      continue;
    }
    const std::string_view shell = program_name(string_of(words[place_of_program(words)]));
    scripts.push_back({each.node, script, shell, script_in(script)});
  }
  return scripts;
}

/// The scripts of a pod, which each check of this file asks for, one after the other.
const std::vector<GivenScript>& scripts_of(const Pod& pod, const CheckContext& context) {
  thread_local std::vector<GivenScript> scripts;
  thread_local View holder;
  thread_local std::uint64_t object = 0;
  if (object != object_number() || !holder.is_at(pod.holder)) {
    scripts = read_scripts(pod, context);
    holder = pod.holder;
    object = object_number();
  }
  return scripts;
}

void shell_syntax(const Pod& pod, CheckContext& context) {
  for (const GivenScript& given : scripts_of(pod, context)) {
    const auto& fault = given.read->fault;
    if (fault) context.lint(WordView(given.text, fault->begin, fault->end), fault->what);
  }
}

/// Images whose `/bin/sh` is bash, or busybox, which knows most of it.
bool has_other_sh(View container) {
  constexpr auto parts = std::to_array<std::string_view>(
      {"ubi",    "centos",      "rocky",        "alma",        "fedora",    "rhel",
       "redhat", "amazonlinux", "oraclelinux",  "suse",        "photon",    "openshift",
       "alpine", "busybox",     "modh",         "opendatahub", "openeuler", "anolis",
       "alinux", "kubectl",     "mpi-operator", "intel",       "curl"});
  const std::string_view image = string_at(container, "image");
  return std::ranges::any_of(parts,
                             [&](std::string_view part) { return image.find(part) != image.npos; });
}

/// Commands of bash that dash does not have.
constexpr auto kCommandsOfBash = std::to_array<std::string_view>(
    {"[[", "source", "declare", "typeset", "shopt", "mapfile", "readarray", "pushd", "popd"});

std::string word_of_bash(const ScriptCommand& command) {
  if (command.words.empty()) return {};
  const std::string& first = command.words.front().text;
  if (!command.is_simple()) return {};
  if (std::ranges::find(kCommandsOfBash, first) != kCommandsOfBash.end()) return first;
  for (const ScriptWord& word : command.words) {
    if (word.is_list) return word.text.substr(0, word.text.find('(')) + "(...)";
    if (first == "set" && word.text == "pipefail") return "pipefail";
    if (first == "[" && word.text == "==" && !word.is_quoted) return "==";
  }
  for (const Redirection& each : command.redirections) {
    if (each.mark == "<<<" || each.mark.starts_with("&>")) return std::string(each.mark);
  }
  return {};
}

/// What stands in a script for a shell that may be dash, and only bash has; "" for nothing.
std::string first_of_bash(const Script& script) {
  for (const ScriptCommand& command : script.commands) {
    if (std::string word = word_of_bash(command); !word.empty()) return word;
  }
  return {};
}

void bash_under_sh(const Pod& pod, CheckContext& context) {
  for (const GivenScript& given : scripts_of(pod, context)) {
    if ((given.shell != "sh" && given.shell != "dash") || has_other_sh(given.container)) continue;
    if (given.read->text.find("BASH_VERSION") != std::string_view::npos) continue;
    const std::string word = first_of_bash(*given.read);
    if (word.empty()) continue;
    // Of other images Trainyard does not know which shell that is.
    const bool is_known = known_image(string_at(given.container, "image")).has_value();
    context.lint(
        given.text,
        shown(word) + " is of bash: `/bin/sh` of Debian and Ubuntu is dash, " +
            (word == "pipefail" ? "and ends the script with an error" : "which does not know it"),
        is_known ? Severity::Warning : Severity::Note);
  }
}

/// Commands of a script that run one after the other, in no other one.
std::vector<const ScriptCommand*> outer_commands(const Script& script) {
  std::vector<const ScriptCommand*> commands;
  for (const ScriptCommand& each : script.commands) {
    if (each.around == kNoCommand && !each.is_output) commands.push_back(&each);
  }
  return commands;
}

bool has_command(const Script& script, std::string_view name, std::string_view argument = {}) {
  return std::ranges::any_of(script.commands, [&](const ScriptCommand& command) {
    if (command.words.empty() || command.words.front().text != name) return false;
    return argument.empty() ||
           std::ranges::find(command.words, argument, &ScriptWord::text) != command.words.end();
  });
}

/// The program of a command, behind variables and what only starts another one.
std::string_view started_by(const ScriptCommand& command) {
  if (!command.is_simple()) return {};
  const auto program = std::ranges::find_if(
      command.words, [](const ScriptWord& word) { return !is_before_program(word.text); });
  return program == command.words.end() ? std::string_view() : program_name(program->text);
}

bool trains(std::string_view program) {
  return program.starts_with("python") || starts_ranks(program);
}

/// `python train.py | tee log` ends as `tee` does.
void piped_program(const Pod& pod, CheckContext& context) {
  for (const GivenScript& given : scripts_of(pod, context)) {
    const Script& script = *given.read;
    const auto commands = outer_commands(script);
    if (commands.size() < 2 || commands.back()->before != Joint::Pipe) continue;
    if (script.text.find("PIPESTATUS") != std::string_view::npos ||
        has_command(script, "set", "pipefail")) {
      continue;
    }
    const ScriptCommand& program = *commands[commands.size() - 2];
    const std::string_view name = started_by(program);
    const std::string_view behind = started_by(*commands.back());
    if (program.before == Joint::Pipe || !trains(name) || behind.empty() || trains(behind))
      continue;
    context.lint(WordView(given.text, program.begin, program.end),
                 "the container succeeds when " + shown(name) +
                     " fails: a pipe ends with the code of its last command, " + shown(behind));
  }
}

/// `python train.py &` as the last command: the shell ends, and the container with it.
void left_program(const Pod& pod, CheckContext& context) {
  for (const GivenScript& given : scripts_of(pod, context)) {
    const Script& script = *given.read;
    const auto commands = outer_commands(script);
    if (commands.empty() || commands.back()->behind != Joint::Background) continue;
    const ScriptCommand& last = *commands.back();
    const std::string_view name = started_by(last);
    if (name.empty() || has_command(script, "wait")) continue;
    context.lint(WordView(given.text, last.begin, last.end),
                 "the shell does not wait for " + shown(name) +
                     ", which is in the background: the container ends at once");
  }
}

constexpr Check kChecks[] = {
    {.name = "shell-syntax",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "A shell can read the script that it is given.",
     .source = "IEEE Std 1003.1 Shell Command Language; GNU bash manual",
     .pod = shell_syntax,
     .because = "The shell ends with a syntax error before it runs any of the script.",
     .fix = "close what is open, or quote the character that is meant as it stands"},
    {.name = "bash-under-sh",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "A script that uses what only bash has is run by bash.",
     .source = "IEEE Std 1003.1 Shell Command Language; https://wiki.ubuntu.com/DashAsBinSh",
     .pod = bash_under_sh,
     .severity = Severity::Warning,
     .because = "`/bin/sh` of images of Debian and Ubuntu is dash: the script ends with an error, "
                "or goes on as if the command were false.",
     .fix = "start `[bash, -c, \"the script\"]`, or write what POSIX has: `.` for `source`, `[` "
            "for `[[`, `=` for `==`"},
    {.name = "piped-program",
     .group = CheckGroup::Launch,
     .effect = Effect::RunsWrong,
     .stage = Stage::Preview,
     .sentence = "The exit code of the program is that of its container.",
     .source = "IEEE Std 1003.1 Shell Command Language: Pipelines, Exit Status",
     .pod = piped_program,
     .severity = Severity::Warning,
     .because = "A job whose program fails counts as done: it is not started again, and its "
                "results are stored.",
     .fix = "run the script by bash, with `set -o pipefail` in front, or write the log from the "
            "program"},
    {.name = "left-program",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .sentence = "A script waits for the program that it starts.",
     .source = "kubernetes/website content/en/docs/concepts/workloads/pods/pod-lifecycle.md",
     .pod = left_program,
     .because = "The container ends with its first process, the shell, and the kernel ends all "
                "others.",
     .fix = "leave out the `&` of the last command, or end the script with `wait`"},
};

}  // namespace

constinit const std::span<const Check> shell_syntax_lints = kChecks;

}  // namespace trainyard
