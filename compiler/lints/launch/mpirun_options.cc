// Words of mpirun that it takes for something else.

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/launches.h"
#include "shell/command_line.h"
#include "shell/launchers.h"
#include "shell/script_commands.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

using Words = std::span<const ShellWord>;

/// `LD_LIBRARY_PATH`, `PATH`: no program is called so. One word of capitals may be a value, which
/// is for `mpirun-words`.
bool is_variable(std::string_view word) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  const bool is_name = word == "PATH" || word.find('_') != word.npos;
  return is_name && kLetters.find(word.front()) != word.npos &&
         word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == word.npos;
}

bool is_parameter(std::string_view option) {
  return option == "-mca" || option == "--mca" || option == "-gmca" || option == "--gmca";
}

/// open-mpi/ompi orte/mca/rmaps/base/rmaps_base_frame.c; openpmix/prrte src/mca/rmaps/base
bool is_mapping(std::string_view word) {
  constexpr auto known = std::to_array<std::string_view>(
      {"slot", "hwthread", "core", "l1cache", "l2cache", "l3cache", "socket", "package", "numa",
       "board", "node", "seq", "dist", "ppr", "rankfile", "pe-list", "likwid"});
  const std::string_view first = word.substr(0, word.find(':'));
  return first.empty() || first.find('$') != first.npos ||
         std::ranges::any_of(known, [&](std::string_view each) {
           return std::ranges::equal(each, first, [](char a, char b) {
             return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
           });
         });
}

void option(Words words, std::size_t i, CheckContext& context) {
  const std::string_view word = words[i].text;
  const std::string_view next = i + 1 < words.size() ? words[i + 1].text : std::string_view();
  if (word == "-x" && i + 2 < words.size() && is_variable(next) && is_variable(words[i + 2].text)) {
    context.lint(words[i + 2].at, "one variable stands behind `-x`, and mpirun takes " +
                                      shown(words[i + 2].text) + " for the program");
  } else if (is_parameter(word) && next.find('=') != next.npos) {
    context.lint(words[i + 1].at, shown(word) + " takes two words: a parameter and its value");
  } else if (kebab_name(word) == "map-by" && word.starts_with('-')) {
    const OptionValue value = value_at(words, i);
    if (!value.text.empty() && !is_mapping(value.text)) {
      context.lint(value.at, "Open MPI cannot map ranks by " +
                                 shown(value.text.substr(0, value.text.find(':'))));
    }
  }
}

/// A pod has `eth0`, and what annotations ask for beside it.
void interfaces(const Pod& pod, Words words, std::size_t i, CheckContext& context) {
  constexpr auto names =
      std::to_array<std::string_view>({"btl_tcp_if_include", "oob_tcp_if_include"});
  if (std::ranges::find(names, words[i].text) == names.end() || i + 1 >= words.size()) return;
  if (!pod.spec || is_true(get(pod.spec, "hostNetwork"))) return;
  if (has_items(get(pod.metadata, "annotations"))) return;
  const std::string_view value = words[i + 1].text;
  const bool is_plain = value.find_first_of("$,/.") == value.npos;
  const bool is_of_node = value.starts_with("ib") || value.starts_with("en") ||
                          value.starts_with("bond") || value.starts_with("mlx");
  if (!is_plain || !is_of_node) return;
  context.lint(words[i + 1].at, "the pods have no interface " + shown(value) +
                                    ": theirs is `eth0`, and no annotation asks for another");
}

/// The line before it lacks its `\`.
void lone_options(Words before, Words words, CheckContext& context) {
  if (before.empty()) return;
  const std::string_view option = words.front().text;
  const bool is_option = option.size() > 1 && option[0] == '-' && option[1] >= 'a' &&
                         option[1] <= 'z' && words.front().is_in_script;
  if (!is_option) return;
  context.lint(words.front().at, "the shell looks for a program " + shown(option) +
                                     ": the line before it does not end with `\\`");
}

/// The words of mpirun in a command, behind a shell or `exec`; none where it is not called.
Words from_mpirun(Words command) {
  const auto call = std::ranges::find_if(command, [](const ShellWord& word) {
    const std::string_view program = program_name(word.text);
    return program == "mpirun" || program == "mpiexec";
  });
  return {call, command.end()};
}

void options_of_mpirun(const Workload& workload, CheckContext& context) {
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      const Launch launch = mpi_launch_in(container);
      if (!launch || launch.mpi == Mpi::Hydra || !launch.call) continue;
      const ShellWords all = command_words(container);
      Words last;
      each_command(all, [&](Words command) {
        const Words words = from_mpirun(command);
        lone_options(last, command, context);
        last = words;
        for (std::size_t i = 1; i < words.size(); ++i) {
          option(words, i, context);
          interfaces(role.pod, words, i, context);
        }
      });
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "mpirun-options",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "workload",
     .sentence = "mpirun can read its options, and finds the interfaces that they name.",
     .source = "open-mpi/ompi docs/man-openmpi/man1/mpirun.1.rst; "
               "opal/mca/btl/tcp/btl_tcp_component.c",
     .workload = options_of_mpirun,
     .severity = Severity::Warning,
     .because = "mpirun ends with an error, or its ranks cannot reach each other.",
     .fix = "write `-x` in front of each variable, `-mca NAME VALUE`, and interfaces of the pod"},
};

}  // namespace

const std::span<const Check> mpirun_option_lints = kChecks;

}  // namespace trainyard
