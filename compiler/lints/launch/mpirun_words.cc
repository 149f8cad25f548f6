// Words that mpirun takes for something else than was meant.

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "check/check.h"
#include "check/typos.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "shell/command_line.h"
#include "shell/script_commands.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

// open-mpi/ompi docs/man-openmpi/man1/mpirun.1.rst
constexpr auto kOptions = std::to_array<std::string_view>(
    {"allow-run-as-root", "bind-to", "map-by", "rank-by", "hostfile", "machinefile", "npernode",
     "npersocket", "oversubscribe", "report-bindings", "tag-output", "display-map",
     "timestamp-output", "output-filename", "nooversubscribe", "wdir", "prefix"});

/// Options whose value is the next word.
bool takes_word(std::string_view option) {
  constexpr auto names = std::to_array<std::string_view>(
      {"x",        "np",         "n",           "c",        "N",           "H",
       "host",     "hostfile",   "machinefile", "bind-to",  "map-by",      "rank-by",
       "npernode", "npersocket", "wdir",        "wd",       "prefix",      "output-filename",
       "ppn",      "perhost",    "launcher",    "rsh_args", "plm_rsh_args"});
  return std::ranges::find(names, option) != names.end();
}

std::string_view without_dashes(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
  return word;
}

/// What is the value of a variable, and no program: `INFO`, `1`, `mlx5_0`, `eth0`.
bool is_value(std::string_view word) {
  constexpr auto begins =
      std::to_array<std::string_view>({"mlx5", "eth", "ibs", "ibp", "bond", "ens", "^", "="});
  const auto is_capital = [](char c) { return (c >= 'A' && c <= 'Z') || c == ','; };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return word == "efa" || word == "lo" || word == "true" || word == "false" ||
         std::ranges::all_of(word, is_capital) || std::ranges::all_of(word, is_digit) ||
         std::ranges::any_of(begins, [&](std::string_view each) { return word.starts_with(each); });
}

/// An option, and where the next one is looked for.
class MpirunWords {
 public:
  MpirunWords(std::span<const ShellWord> words, CheckContext& context)
      : words_(words), context_(context) {}

  /// `at` is that of mpirun.
  void read(std::size_t at) {
    for (++at; at < words_.size(); ++at) {
      const std::string_view word = words_[at].text;
      if (!word.starts_with('-') || word.size() < 2) return;  // the program
      const std::string_view option = without_dashes(word);
      if (option == "mca" || option == "gmca" || option == "prtemca" || option == "pmca") {
        if (!parameter(at)) return;
        at += 2;
        continue;
      }
      misspelt(words_[at], option);
      if (option.find('=') != option.npos || !takes_word(option)) continue;
      ++at;
      if (at >= words_.size()) return;
      if (option == "x" && !exported(at)) return;
      if (option == "host" || option == "H") hosts(words_[at]);
    }
  }

 private:
  /// `--mca KEY VALUE`.
  bool parameter(std::size_t at) {
    if (at + 2 >= words_.size()) return false;
    const std::string_view value = words_[at + 2].text;
    const bool is_option = value.starts_with("--") || value == "-x" || value == "-np";
    if (!is_option) return true;
    context_.lint(words_[at + 1].at, "mpirun takes " + shown(value) + " for the value of " +
                                         shown(words_[at + 1].text) + ", which has none here");
    return false;
  }

  /// `-x NAME` or `-x NAME=VALUE`; what stands behind is the next option, or the program.
  bool exported(std::size_t at) {
    const std::string_view name = words_[at].text;
    if (name.starts_with('-')) {
      context_.lint(words_[at].at, "mpirun takes " + shown(name) + " for the variable of `-x`");
      return false;
    }
    if (name.find_first_of("=$") != name.npos || at + 1 >= words_.size()) return true;
    const std::string_view next = words_[at + 1].text;
    if (next.empty() || next.starts_with('-') || !is_value(next)) return true;
    context_.lint(words_[at + 1].at,
                  "mpirun takes " + shown(next) +
                      " for the program: a variable and its value are one word, " +
                      shown(std::string(name) + "=" + std::string(next)));
    return false;
  }

  void hosts(const ShellWord& word) {
    if (!word.text.starts_with('/')) return;
    context_.lint(word.at,
                  "`--host` is followed by the names of hosts; a file of them belongs "
                  "behind `--hostfile`");
  }

  void misspelt(const ShellWord& word, std::string_view option) {
    const auto is_near = [&](std::string_view known) { return is_typo_of(option, known); };
    constexpr std::size_t kShortest = 6;
    if (option.size() < kShortest || std::ranges::find(kOptions, option) != kOptions.end()) return;
    const auto* const near = std::ranges::find_if(kOptions, is_near);
    if (near == kOptions.end()) return;
    context_.lint(word.at, "mpirun has no option " + shown(word.text) + "; did you mean " +
                               shown(*near) + "?");
  }

  std::span<const ShellWord> words_;
  CheckContext& context_;
};

void mpirun_words(const Pod& pod, CheckContext& context) {
  for (const PodContainer& each : pod.containers) {
    if (!contains_text(each.node, "mpirun") && !contains_text(each.node, "mpiexec")) continue;
    each_command(command_words(each.node), [&](std::span<const ShellWord> command) {
      for (std::size_t i = 0; i < command.size(); ++i) {
        const std::string_view name = program_name(command[i].text);
        if (name != "mpirun" && name != "mpiexec") continue;
        MpirunWords(command, context).read(i);
        return;
      }
    });
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
     .on = "pod",
     .sentence = "mpirun knows its options, and each has its value behind it.",
     .source = "open-mpi/ompi docs/man-openmpi/man1/mpirun.1.rst",
     .pod = mpirun_words,
     .severity = Severity::Warning,
     .because = "mpirun starts another program than was meant, or ends with an error.",
     .fix =
         "write `-x NAME=VALUE` as one word, `--mca KEY VALUE` as three, and files of hosts behind "
         "`--hostfile`"},
    {.name = "mpirun-slots",
     .group = CheckGroup::Launch,
     .effect = Effect::NeverRuns,
     .stage = Stage::Preview,
     .on = "workload",
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
