// Words that mpirun takes for something else than was meant.

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "check/check.h"
#include "diag/words.h"
#include "lints/core/known_values.h"
#include "lints/tables.h"
#include "manifest/launches.h"
#include "shell/command_line.h"
#include "shell/launchers.h"
#include "shell/script_commands.h"
#include "source/characters.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

using Words = std::span<const ShellWord>;

// open-mpi/ompi docs/man-openmpi/man1/mpirun.1.rst
constexpr auto kOptions = std::to_array<std::string_view>(
    {"allow-run-as-root", "bind-to", "map-by", "rank-by", "hostfile", "machinefile", "npernode",
     "npersocket", "oversubscribe", "report-bindings", "tag-output", "display-map",
     "timestamp-output", "output-filename", "nooversubscribe", "wdir", "prefix"});

/// What is the value of a variable, and no program: `INFO`, `1`, `mlx5_0`, `eth0`.
bool is_value(std::string_view word) {
  constexpr auto begins =
      std::to_array<std::string_view>({"mlx5", "eth", "ibs", "ibp", "bond", "ens", "^", "="});
  const auto is_capital = [](char c) { return is_upper(c) || c == ','; };
  return word == "efa" || word == "lo" || word == "true" || word == "false" ||
         std::ranges::all_of(word, is_capital) || std::ranges::all_of(word, is_digit) ||
         std::ranges::any_of(begins, [&](std::string_view each) { return word.starts_with(each); });
}

/// `LD_LIBRARY_PATH`, `PATH`: no program is called so. Another word of capitals may be a value.
bool is_variable(std::string_view word) {
  const bool is_name = word == "PATH" || word.find('_') != word.npos;
  return is_name && (word.front() < '0' || word.front() > '9') &&
         word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == word.npos;
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

/// Reads the options of one mpirun, up to the program that it starts.
class MpirunWords {
 public:
  /// The first word is mpirun.
  MpirunWords(const Pod& pod, Words words, bool is_hydra, CheckContext& context)
      : pod_(pod), words_(words), is_hydra_(is_hydra), context_(context) {}

  void read() {
    for (std::size_t at = 1; at < words_.size(); ++at) {
      const std::string_view word = words_[at].text;
      if (!word.starts_with('-') || word.size() < 2 || !option(at)) return;
      std::size_t values = mpirun_options.values_behind(word);
      // An option that is not known may have none.
      if (values == 1 && text(at + 1).starts_with('-')) values = 0;
      at += values;
    }
  }

 private:
  std::string_view text(std::size_t at) const {
    return at < words_.size() ? words_[at].text : std::string_view();
  }

  /// False where mpirun does not read on as was meant.
  bool option(std::size_t at) {
    const std::string name = kebab_name(words_[at].text);
    if (name == "mca" || name == "gmca" || name == "prtemca" || name == "pmixmca") {
      return parameter(at);
    }
    if (name == "x") return exported(at);
    if (name == "host" || name == "H") hosts(value_at(words_, at));
    if (name == "map-by" && !is_hydra_) mapping(value_at(words_, at));
    misspelt(words_[at]);
    return true;
  }

  /// `--mca KEY VALUE`.
  bool parameter(std::size_t at) {
    const std::string_view key = text(at + 1);
    const std::string_view value = text(at + 2);
    if (key.find('=') != key.npos) {
      context_.lint(words_[at + 1].at,
                    shown(words_[at].text) + " takes two words: a parameter and its value");
      return false;
    }
    if (value.starts_with("--") || value == "-x" || value == "-np") {
      context_.lint(words_[at + 1].at, "mpirun takes " + shown(value) + " for the value of " +
                                           shown(key) + ", which has none here");
      return false;
    }
    if (key == "btl_tcp_if_include" || key == "oob_tcp_if_include") interface(at + 2);
    return true;
  }

  /// A pod has `eth0`, and what annotations ask for beside it.
  void interface(std::size_t at) {
    const std::string_view value = text(at);
    if (!pod_.spec || is_true(get(pod_.spec, "hostNetwork"))) return;
    if (has_items(get(pod_.metadata, "annotations"))) return;
    const bool is_plain = value.find_first_of("$,/.") == value.npos;
    const bool is_of_node = value.starts_with("ib") || value.starts_with("en") ||
                            value.starts_with("bond") || value.starts_with("mlx");
    if (!is_plain || !is_of_node) return;
    context_.lint(words_[at].at, "the pods have no interface " + shown(value) +
                                     ": theirs is `eth0`, and no annotation asks for another");
  }

  /// `-x NAME` or `-x NAME=VALUE`; what stands behind is the next option, or the program.
  bool exported(std::size_t at) {
    const std::string_view name = text(at + 1);
    const std::string_view next = text(at + 2);
    if (name.starts_with('-')) {
      context_.lint(words_[at + 1].at, "mpirun takes " + shown(name) + " for the variable of `-x`");
      return false;
    }
    if (name.empty() || next.empty() || next.starts_with('-')) return true;
    if (is_variable(name) && is_variable(next)) {
      context_.lint(words_[at + 2].at, "one variable stands behind `-x`, and mpirun takes " +
                                           shown(next) + " for the program");
      return false;
    }
    if (name.find_first_of("=$") != name.npos || !is_value(next)) return true;
    context_.lint(words_[at + 2].at,
                  "mpirun takes " + shown(next) +
                      " for the program: a variable and its value are one word, " +
                      shown(std::string(name) + "=" + std::string(next)));
    return false;
  }

  void hosts(const OptionValue& value) {
    if (!value.text.starts_with('/')) return;
    context_.lint(value.at,
                  "`--host` is followed by the names of hosts; a file of them belongs "
                  "behind `--hostfile`");
  }

  void mapping(const OptionValue& value) {
    if (value.text.empty() || is_mapping(value.text)) return;
    context_.lint(value.at, "Open MPI cannot map ranks by " +
                                shown(value.text.substr(0, value.text.find(':'))));
  }

  void misspelt(const ShellWord& word) {
    constexpr std::size_t kShortest = 6;
    std::string_view option = word.text.substr(0, word.text.find('='));
    option.remove_prefix(std::min(option.find_first_not_of('-'), option.size()));
    const std::string_view near =
        option.size() < kShortest ? std::string_view() : closest_known_value(option, kOptions);
    if (near.empty()) return;
    context_.lint(word.at, "mpirun has no option " + shown(word.text) + "; did you mean " +
                               shown(near) + "?");
  }

  const Pod& pod_;
  Words words_;
  bool is_hydra_;
  CheckContext& context_;
};

/// An option at the start of a line: the line before it, a call of mpirun, lacks its `\`.
void lone_option(const ShellWord& first, CheckContext& context) {
  const std::string_view option = first.text;
  const bool is_option =
      option.size() > 1 && option[0] == '-' && option[1] >= 'a' && option[1] <= 'z';
  if (!is_option || !first.is_in_script) return;
  context.lint(first.at, "the shell looks for a program " + shown(option) +
                             ": the line before it does not end with `\\`");
}

void check_container(const Pod& pod, View container, CheckContext& context) {
  if (!contains_text(container, "mpirun") && !contains_text(container, "mpiexec")) return;
  const bool is_hydra = mpi_launch_in(container).mpi == Mpi::Hydra;
  const ShellWords all = command_words(container);
  bool is_behind_mpirun = false;
  each_command(all, [&](Words command) {
    if (is_behind_mpirun && !is_hydra) lone_option(command.front(), context);
    const auto call = std::ranges::find_if(command, [](const ShellWord& word) {
      const std::string_view program = program_name(word.text);
      return program == "mpirun" || program == "mpiexec";
    });
    is_behind_mpirun = call != command.end();
    MpirunWords(pod, Words(call, command.end()), is_hydra, context).read();
  });
}

void mpirun_words(const Pod& pod, CheckContext& context) {
  for (const PodContainer& each : pod.containers) check_container(pod, each.node, context);
}

/// A TrainJob has no pod template, but a command.
void check_trainer(const Workload& workload, CheckContext& context) {
  if (workload.kind != "TrainJob") return;
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) check_container(role.pod, container, context);
  }
}

/// `-N 4` on two workers leaves room for 8 of 16 processes.
void processes_of_nodes(const Workload& workload, CheckContext& context) {
  const WorkloadRole* launcher = workload.role("Launcher");
  const WorkloadRole* workers = workload.role("Worker");
  if (workload.kind != "MPIJob" || launcher == nullptr || workers == nullptr) return;
  for (View container : launcher->containers) {
    const auto call = mpirun_call(container);
    if (call == nullptr || call->option("host") || call->option("H")) continue;
    OptionValue of_node = call->option("npernode");
    if (!of_node) of_node = call->option("N");
    OptionValue all = call->option("np");
    if (!all) all = call->option("n");
    const auto each = of_node.number();
    const auto number = all.number();
    constexpr std::int64_t kMost = 100'000;
    if (!each || !number || *each < 1 || *each > kMost || workers->pods > kMost) continue;
    if (*number <= *each * workers->pods) continue;
    context
        .lint(of_node.at, std::to_string(*each) + " processes on each of " +
                              std::to_string(workers->pods) + " workers are fewer than the " +
                              std::to_string(*number) + " that are to start")
        .also(context.place(all.at), "the processes");
  }
}

/// `sed 's/$/:4/' /etc/volcano/worker.host`: the slots that a script gives each host.
void slots_by_script(const Workload& workload, CheckContext& context) {
  constexpr std::string_view kFolder = "/etc/volcano/";
  constexpr std::string_view kEnd = "s/$/:";
  if (!workload.is("batch.volcano.sh", "Job")) return;
  for (const WorkloadRole& role : workload.roles) {
    for (View container : role.containers) {
      const auto call = contains_text(container, kEnd) ? mpirun_call(container) : nullptr;
      const auto number = call ? call->option("np").number() : std::nullopt;
      if (!number) continue;
      for (View argument : arguments_of(container)) {
        const std::string_view text = string_of(argument);
        const std::size_t at = text.find(kEnd);
        const std::size_t file = text.find(kFolder);
        if (at == text.npos || file == text.npos || text.find("versubscribe") != text.npos)
          continue;
        const std::size_t begin = at + kEnd.size();
        const auto slots = plain_number(text.substr(begin, text.find('/', begin) - begin));
        const std::size_t name = file + kFolder.size();
        const WorkloadRole* hosts =
            workload.role(text.substr(name, text.find(".host", name) - name));
        if (!slots || *slots > 10'000 || hosts == nullptr || hosts->pods > 10'000) continue;
        if (*number <= *slots * hosts->pods) continue;
        context.lint(WordView(argument, at, text.find('/', begin)),
                     std::to_string(hosts->pods) + " hosts with " + std::to_string(*slots) +
                         " slots each are too few for " + std::to_string(*number) + " processes");
      }
    }
  }
}

void sizes_of_mpirun(const Workload& workload, CheckContext& context) {
  processes_of_nodes(workload, context);
  slots_by_script(workload, context);
}

constexpr Check kChecks[] = {
    {.name = "mpirun-words",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "mpirun can read its options, and finds the interfaces that they name.",
     .source = "open-mpi/ompi docs/man-openmpi/man1/mpirun.1.rst; "
               "opal/mca/btl/tcp/btl_tcp_component.c",
     .pod = mpirun_words,
     .workload = check_trainer,
     .severity = Severity::Warning,
     .because = "mpirun starts another program than was meant, ends with an error, or its ranks "
                "cannot reach each other.",
     .fix = "write `-x` in front of each variable, `-x NAME=VALUE` as one word, `--mca KEY VALUE` "
            "as three, files of hosts behind `--hostfile`, and interfaces of the pod"},
    {.name = "mpirun-slots",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .sentence = "mpirun starts no more processes than its options leave room for on the workers.",
     .source = "open-mpi/ompi docs/launching-apps/scheduling.rst",
     .workload = sizes_of_mpirun,
     .severity = Severity::Warning,
     .because = "mpirun ends with `not enough slots`, or with more processes than fit.",
     .fix = "let the processes of a worker times the workers be those that start"},
};

}  // namespace

const std::span<const Check> mpirun_word_lints = kChecks;

}  // namespace trainyard
