// Programs that do not start, or that end at once.

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/pod_security.h"
#include "shell/command_line.h"
#include "shell/launchers.h"
#include "shell/script.h"
#include "shell/script_commands.h"
#include "shell/shell_words.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

using Command = std::span<const ShellWord>;

/// A command without `exec` and the like in front, nor the shell that is given the script.
Command own_words(Command command) {
  if (!command.empty() && is_shell(command[0].text)) {
    const auto script = std::ranges::find(command, true, &ShellWord::is_in_script);
    command = command.subspan(static_cast<std::size_t>(script - command.begin()));
  }
  return command.subspan(std::min(place_of_program(command), command.size()));
}

/// The words of the script that a shell is given, or of the command line.
ShellWords words_of(View container) {
  const View script = script_of(arguments_of(container));
  return script ? argument_words({script}) : command_words(container);
}

bool is_python(std::string_view word) {
  const std::string_view name = program_name(word);
  return name == "python" || name == "python3";
}

/// `python -m torchrun`: torchrun is a program beside python, and no module.
void launcher_in_python(Command command, CheckContext& context) {
  if (command.size() < 2 || !is_python(command[0].text)) return;
  if (command[1].text == "torchrun") {
    context.lint(command[1].at, "python looks for a file `torchrun`: start torchrun without it");
  } else if (command[1].text == "-m" && command.size() > 2 && command[2].text == "torchrun") {
    context.lint(command[2].at,
                 "there is no module `torchrun`; did you mean `torch.distributed.run`?");
  }
}

/// `python -m train/main.py`: a module has dots, and no `.py`.
void path_as_module(Command command, CheckContext& context) {
  const std::string_view program = program_name(command[0].text);
  if (!is_python(program) && program != "torchrun") return;
  for (std::size_t i = 1; i + 1 < command.size(); ++i) {
    if (command[i].text != "-m") continue;
    const std::string_view module = command[i + 1].text;
    const bool is_path = module.ends_with(".py") || module.find('/') != module.npos;
    if (!is_path || module.find('$') != module.npos) return;
    context.lint(command[i + 1].at, "no module has the name " + shown(module) +
                                        ": behind `-m` stand names with dots, as in `train.main`");
    return;
  }
}

/// The options of a launcher that starts a script with python by itself; null for another program.
const LauncherOptions* options_of(Command command) {
  const std::string_view name = program_name(command[0].text);
  if (name == "torchrun") return &torchrun_options;
  if (name == "deepspeed") return &deepspeed_options;
  const bool is_accelerate =
      name == "accelerate" && command.size() > 1 && command[1].text == "launch";
  return is_accelerate ? &accelerate_options : nullptr;
}

/// `torchrun python train.py`: the first word that is no option is the script.
void python_in_launcher(Command command, CheckContext& context) {
  const LauncherOptions* options = options_of(command);
  if (options == nullptr) return;
  std::size_t at = program_name(command[0].text) == "accelerate" ? 2 : 1;
  while (at < command.size() && command[at].text.starts_with('-')) {
    const std::string_view word = command[at].text;
    if (word == "-m" || kebab_name(word) == "module" || kebab_name(word) == "no-python") return;
    at += 1 + (word.find('=') == word.npos ? options->values_behind(word) : 0);
  }
  if (at + 1 >= command.size() || !is_python(command[at].text)) return;
  if (!command[at + 1].text.ends_with(".py")) return;
  context.lint(command[at].at, shown(command[0].text) + " takes " + shown(command[at].text) +
                                   " for the script: leave it out");
}

/// A shell that is given nothing to do.
void bare_shell(View container, CheckContext& context) {
  const View words = get(container, "command");
  if (!has_items(words) || words->size != 1 || has_items(get(container, "args"))) return;
  const View shell = *Items(words).begin();
  if (!is_shell(string_of(shell)) || get(container, "source") || get(container, "script")) return;
  if (is_true(get(container, "stdin")) || is_true(get(container, "tty"))) return;
  context.lint(shell, shown(string_of(shell)) + " has no script and no input, and ends at once");
}

bool is_ray_start(Command command) {
  return command.size() > 1 && program_name(command[0].text) == "ray" && command[1].text == "start";
}

/// The place of an option of a command; its size for none.
std::size_t place_of(Command command, std::string_view option) {
  const auto found = std::ranges::find_if(command, [&](const ShellWord& word) {
    return word.text == option ||
           (word.text.starts_with(option) && word.text.substr(option.size())[0] == '=');
  });
  return static_cast<std::size_t>(found - command.begin());
}

bool has_option(Command command, std::string_view option) {
  return place_of(command, option) < command.size();
}

/// A variable may hold options.
bool may_have_more(Command command) {
  return std::ranges::any_of(command,
                             [](const ShellWord& word) { return word.text.starts_with('$'); });
}

/// `ray start --block` comes back when Ray ends: what stands behind it waits as long.
void blocked_commands(View container, CheckContext& context) {
  const View argument = script_of(arguments_of(container));
  if (!argument || !contains_text(container, "--block")) return;
  const std::shared_ptr<const Script> script = script_in(argument);
  const ScriptCommand* blocking = nullptr;
  for (const ScriptCommand& each : script->commands) {
    const bool is_certain = each.is_simple() && each.around == kNoCommand && !each.is_output &&
                            !each.may_be_left_out && each.words.size() > 2;
    if (!is_certain || each.behind == ScriptCommand::Joint::Or) continue;
    if (blocking != nullptr) {
      const ScriptWord& first = each.words.front();
      if (first.text == "exit" || first.text == "echo") return;
      context.lint(WordView(argument, blocking->begin, blocking->end),
                   "`ray start --block` comes back when Ray has ended, and " + shown(first.text) +
                       " behind it is not started");
      return;
    }
    const auto has = [&](std::string_view word) {
      return std::ranges::find(each.words, word, &ScriptWord::text) != each.words.end();
    };
    const bool starts = each.words[0].text == "ray" && each.words[1].text == "start";
    const bool stays = each.behind != ScriptCommand::Joint::Background &&
                       each.before != ScriptCommand::Joint::And &&
                       each.before != ScriptCommand::Joint::Or;
    if (starts && stays && has("--block") && has("--head")) blocking = &each;
  }
}

/// Ray's processes run in the background unless `--block` is given.
void ray_without_cluster(View container, CheckContext& context) {
  if (!contains_text(container, "ray") || !contains_text(container, "start")) return;
  const ShellWords words = words_of(container);
  Command last;
  each_command(words, [&](Command whole) {
    const Command command = own_words(whole);
    last = command;
    if (!is_ray_start(command) || may_have_more(command)) return;
    if (has_option(command, "--head") || has_option(command, "--address")) return;
    context.lint(command[1].at, "`ray start` has neither `--head` nor `--address`, and ends");
  });
  blocked_commands(container, context);
  if (!is_ray_start(last) || may_have_more(last) || has_option(last, "--block")) return;
  if (!has_option(last, "--head") && !has_option(last, "--address")) return;
  context.lint(last[1].at,
               "`ray start` without `--block` goes to the background: the container ends with it");
}

/// `apt-get install` by a user other than root.
void packages_as_user(const Pod& pod, View container, CheckContext& context) {
  constexpr auto managers =
      std::to_array<std::string_view>({"apt-get", "apt", "yum", "dnf", "apk"});
  constexpr auto verbs = std::to_array<std::string_view>({"install", "update", "add"});
  const auto user = integer_of(security_of(pod, container, "runAsUser"));
  if (user.value_or(0) == 0 || contains_text(container, "||")) return;
  bool is_told = false;
  each_command(words_of(container), [&](Command command) {
    if (is_told || std::ranges::find(managers, command[0].text) == managers.end()) return;
    is_told = std::ranges::any_of(command.subspan(1), [&](const ShellWord& word) {
      return std::ranges::find(verbs, word.text) != verbs.end();
    });
    if (!is_told) return;
    context.lint(command[0].at, shown(command[0].text) +
                                    " needs root, and the container runs as user " +
                                    std::to_string(*user));
  });
}

void started_programs(const Pod& pod, CheckContext& context) {
  // KubeRay makes one script of `command` and `args`, and writes `ray start` itself.
  if (string_at(context.object(), "apiVersion").starts_with("ray.io/")) return;
  for (const PodContainer& each : pod.containers) {
    if (!each.node || !each.node->is_map()) continue;
    bare_shell(each.node, context);
    ray_without_cluster(each.node, context);
    packages_as_user(pod, each.node, context);
    if (!contains_text(each.node, "python") && !contains_text(each.node, "torchrun")) continue;
    each_command(words_of(each.node), [&](Command command) {
      launcher_in_python(command, context);
      python_in_launcher(command, context);
      path_as_module(command, context);
    });
  }
}

/// `ray job submit` in each of several pods, with nothing that chooses one of them.
void ray_jobs(const Workload& workload, CheckContext& context) {
  for (const WorkloadRole& role : workload.roles) {
    if (role.is_launcher || role.pods < 2) continue;
    for (View container : role.containers) {
      if (!contains_text(container, "submit")) continue;
      const ShellWords words = words_of(container);
      const auto chooses = [](const ShellWord& word) {
        return word.text == "if" || word.text == "[" || word.text == "[[" || word.text == "test" ||
               word.text == "case";
      };
      if (std::ranges::any_of(words, chooses)) continue;
      each_command(words, [&](Command command) {
        if (command.size() < 3 || program_name(command[0].text) != "ray") return;
        if (command[1].text != "job" || command[2].text != "submit") return;
        context.lint(command[2].at, "each of the " + std::to_string(role.pods) +
                                        " pods submits the job: Ray runs it as many times");
      });
    }
  }
}

/// The port of Ray's head, and the ports at which others look for it.
void ray_ports(const Workload& workload, CheckContext& context) {
  if (workload.roles.size() < 2) return;
  std::optional<std::int64_t> port;
  std::size_t heads = 0;
  const auto each_start = [&](auto use) {
    for (const WorkloadRole& role : workload.roles) {
      for (View container : role.containers) {
        if (!contains_text(container, "ray")) continue;
        each_command(command_words(container), [&](Command whole) {
          const Command command = own_words(whole);
          if (is_ray_start(command)) use(command);
        });
      }
    }
  };
  each_start([&](Command command) {
    if (!has_option(command, "--head")) return;
    ++heads;
    const std::size_t at = place_of(command, "--port");
    port = at == command.size() ? 6379 : value_at(command, at).number();
  });
  if (heads != 1 || !port) return;
  each_start([&](Command command) {
    const std::size_t at = place_of(command, "--address");
    if (at == command.size()) return;
    const OptionValue address = value_at(command, at);
    const auto own =
        plain_number(std::string_view(address.text).substr(address.text.rfind(':') + 1));
    if (!own || own == port || address.text.find(':') == std::string::npos) return;
    context.lint(address.at, "Ray's head listens at " + std::to_string(*port) + ", not at " +
                                 std::to_string(*own));
  });
}

void ray_by_hand(const Workload& workload, CheckContext& context) {
  if (workload.group == "ray.io") return;
  ray_jobs(workload, context);
  ray_ports(workload, context);
}

constexpr Check kChecks[] = {
    {.name = "started-program",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "The program of a container can start, and does not end at once.",
     .source = "pytorch/pytorch setup.py entry points, torch/distributed/run.py; ray-project/ray "
               "python/ray/scripts/scripts.py start",
     .pod = started_programs,
     .severity = Severity::Warning,
     .because = "The container ends before any work is done, and is started again.",
     .fix = "start a launcher by its own name, give a shell a script, and `ray start` its "
            "`--block`"},
    {.name = "ray-by-hand",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "Pods that start Ray themselves find its head, and submit a job once.",
     .source = "ray-project/ray python/ray/scripts/scripts.py start: --port is 6379 by default; "
               "python/ray/dashboard/modules/job/cli.py submit",
     .workload = ray_by_hand,
     .severity = Severity::Warning,
     .because =
         "At another port nothing answers, and `ray start` gives up; a job that several pods "
         "submit takes the GPUs several times.",
     .fix = "write the port of `--port` behind the address; submit from one pod, or with a RayJob"},
};

}  // namespace

const std::span<const Check> started_program_lints = kChecks;

}  // namespace trainyard
