// What a script does before the program that it is for: what it fetches, and what it prints.

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "shell/command_line.h"
#include "shell/script.h"
#include "shell/script_commands.h"
#include "shell/shell_words.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

using Words = std::span<const ShellWord>;

bool script_waits_for_itself(std::string_view text) {
  const bool loops = text.find("until ") != text.npos || text.find("while ") != text.npos;
  const bool asks_itself =
      text.find("localhost") != text.npos || text.find("127.0.0.1") != text.npos;
  return loops && asks_itself && text.find('&') == text.npos;
}

/// A command without `bash -c` and what else only starts it.
Words without_starters(Words words) {
  std::size_t at = 0;
  while (at < words.size() && (is_wrapper_command(words[at].text) || words[at].text == "sudo")) {
    ++at;
  }
  if (at + 1 < words.size() && is_shell(words[at].text) && words[at + 1].text.starts_with('-') &&
      words[at + 1].text.ends_with('c')) {
    return without_starters(words.subspan(at + 2));
  }
  return words.subspan(at);
}

bool fetches(Words words) {
  const std::string_view name = words.empty() ? "" : program_name(words[0].text);
  return name == "curl" || name == "wget";
}

/// A shell that reads its script from the pipe: without arguments, or with `-s` for them.
bool reads_a_pipe(Words words) {
  if (words.empty() || !is_shell(words[0].text)) return false;
  if (words.size() == 1) return true;
  const std::string_view first = words[1].text;
  return first == "-" || (first.starts_with("-s") && !first.starts_with("--"));
}

/// `curl ... | bash`.
void fetched_scripts(std::span<const Words> commands, CheckContext& context) {
  for (std::size_t i = 0; i + 1 < commands.size(); ++i) {
    if (!fetches(commands[i]) || !reads_a_pipe(commands[i + 1])) continue;
    context.lint(commands[i][0].at, "each pod runs what it fetches: the output of " +
                                        shown(commands[i][0].text) + " is the script of " +
                                        shown(commands[i + 1][0].text));
    return;
  }
}

/// The words behind `pip install`; none for another command.
Words installed_by(Words words) {
  if (words.size() > 3 && program_name(words[0].text).starts_with("python") &&
      words[1].text == "-m") {
    words = words.subspan(2);
  } else if (words.size() > 3 && program_name(words[0].text) == "uv") {
    words = words.subspan(1);
  }
  if (words.size() < 3 || words[1].text != "install") return {};
  const std::string_view name = program_name(words[0].text);
  return name == "pip" || name == "pip3" ? words.subspan(2) : Words();
}

/// Options of pip that look at nothing but files, or that hold the versions elsewhere.
bool settles_versions(std::string_view option) {
  constexpr auto names =
      std::to_array<std::string_view>({"--no-index", "-c", "--constraint", "-r", "--requirement",
                                       "-e", "--editable", "--require-hashes"});
  return std::ranges::any_of(names, [&](std::string_view name) {
    return option == name || (name.starts_with("--") && option.starts_with(name) &&
                              option.substr(name.size()).starts_with('='));
  });
}

/// Options with a value of their own, which is no package.
bool takes_a_value(std::string_view option) {
  constexpr auto names = std::to_array<std::string_view>(
      {"-i", "--index-url", "--extra-index-url", "-f", "--find-links", "-t", "--target",
       "--trusted-host", "--timeout", "--retries", "--prefix", "--root", "--cache-dir", "--proxy",
       "--log", "--python-version", "--platform", "--progress-bar", "--config-settings"});
  return std::ranges::find(names, option) != names.end();
}

/// A package whose newest version is taken; files, addresses and variables may be anything.
bool takes_the_newest(std::string_view package) {
  constexpr std::string_view ours = "pip";  // and its like, which are no part of a program
  for (std::string_view tool : {ours, std::string_view("setuptools"), std::string_view("wheel")}) {
    if (package == tool) return false;
  }
  if (package.empty() || !starts_shell_name(package.front())) return false;
  return package.find_first_of("/$@=<~") == package.npos && !package.ends_with(".whl") &&
         !package.ends_with(".txt") && !package.ends_with(".gz");
}

/// `pip install deepspeed`, when the pod starts.
void newest_packages(std::span<const Words> commands, CheckContext& context) {
  for (Words command : commands) {
    const Words arguments = installed_by(command);
    if (std::ranges::any_of(arguments,
                            [](const ShellWord& word) { return settles_versions(word.text); })) {
      continue;
    }
    bool is_value = false;
    for (const ShellWord& word : arguments) {
      const bool is_option = word.text.starts_with('-');
      if (!is_option && !is_value && takes_the_newest(word.text)) {
        context.lint(word.at, "each pod installs what is the newest version of " +
                                  shown(word.text) + " when it starts");
        return;
      }
      is_value = is_option && takes_a_value(word.text);
    }
  }
}

/// At a glance, before anything is taken apart: a word of a command, or a script.
bool may_fetch(View argument) {
  const std::string_view text = argument->text;
  if (text.find(' ') == text.npos) {
    return text == "install" || text.ends_with("curl") || text.ends_with("wget");
  }
  return text.find("install") != text.npos || text.find("curl") != text.npos ||
         text.find("wget") != text.npos;
}

void run_time_download(const Pod& pod, CheckContext& context) {
  for (const PodContainer& each : pod.containers) {
    if (!any_argument(each.node, may_fetch)) continue;
    const ShellWords words = command_words(each.node);
    std::vector<Words> commands;
    each_command(words, [&](Words command) { commands.push_back(without_starters(command)); });
    fetched_scripts(commands, context);
    newest_packages(commands, context);
  }
}

bool runs_beside(View container) {
  return string_at(container, "restartPolicy") == "Always";
}

/// `until curl localhost:8000; do sleep 1; done`, with nothing in the background.
View loop_on_itself(View container) {
  for (View argument : items_at(container, "args")) {
    if (script_waits_for_itself(string_of(argument))) return argument;
  }
  for (View argument : items_at(container, "command")) {
    if (script_waits_for_itself(string_of(argument))) return argument;
  }
  return {};
}

/// An init container ends before the containers of its pod start.
void waiting_for_own_pod(const Pod& pod, CheckContext& context) {
  if (is_true(get(pod.spec, "hostNetwork")) || pod.has(kAddsContainers)) return;
  for (View each : items_at(pod.spec, "initContainers")) {
    if (runs_beside(each)) return;
    const View loop = loop_on_itself(each);
    if (!loop) continue;
    context.lint(loop, "init container " + shown(string_at(each, "name")) +
                           " waits for a server in its own pod, whose containers start after it");
    return;
  }
}

constexpr Check kChecks[] = {
    {.name = "init-waits-for-pod",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "pod",
     .sentence = "No init container waits for a server in its own pod.",
     .source = "kubernetes/website content/en/docs/concepts/workloads/pods/init-containers.md",
     .pod = waiting_for_own_pod,
     .severity = Severity::Warning,
     .because = "The containers of a pod start when all init containers have ended: it waits for "
                "ever.",
     .fix = "make the server an init container with `restartPolicy: Always`, or wait in the "
            "container that needs it"},
    {.name = "run-time-download",
     .group = CheckGroup::Images,
     .effect = Effect::Risky,
     .stage = Stage::Preview,
     .opt_in = true,
     .on = "pod",
     .sentence = "Pods start from what is in their image, and not from what is newest somewhere.",
     .source = "pypa/pip docs/html/topics/repeatable-installs.md",
     .pod = run_time_download,
     .severity = Severity::Note,
     .because = "Pods of one job, or the same pod after a restart, may get something else; each "
                "start waits for it, and fails without that server.",
     .fix = "put it into the image, or say which version: `pip install deepspeed==0.16.2`"},
};

}  // namespace

constinit const std::span<const Check> startup_lints = kChecks;

}  // namespace trainyard
