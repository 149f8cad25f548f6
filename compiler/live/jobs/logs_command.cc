#include <re2/re2.h>

#include "diag/foreign_text.h"
#include "diag/words.h"
#include "diagnosis/job_status.h"
#include "live/jobs/follow_logs.h"
#include "live/jobs/job_command.h"
#include "live/live_command.h"
#include "live/live_exit.h"
#include "live/terminal.h"
#include "live/time_word.h"

namespace trainyard {
namespace {

class LogsCommand : public JobCommand {
 public:
  using JobCommand::JobCommand;

  std::string_view name() const override { return "logs"; }
  std::string_view summary() const override { return "Print the logs of a job"; }
  std::string_view description() const override {
    return "Rank 0 without options. Followed, it goes on over restarts, new pods and a connection "
           "that is lost, and each line comes once; it ends when the job does, with 5 when that "
           "failed. If there are several ranks or containers, each line begins with its own.";
  }
  std::vector<Example> examples() const override {
    return {{"trainyard logs llama -f", "Follow rank 0 until the job ends."},
            {"trainyard logs llama --all --since 10m --grep 'NCCL|Xid'",
             "What all ranks said of the network within ten minutes."},
            {"trainyard logs llama --rank 3 --previous", "Rank 3 before its last restart."}};
  }

  Arguments arguments() override {
    Arguments rows;
    add_job_arguments(rows, true);
    rows.push_back({.name = "all", .help = "All ranks", .into = &all_});
    rows.push_back(
        {.name = "rank", .value = "RANKS", .help = "Some ranks: `0`, `0,3-5`", .into = &ranks_});
    rows.push_back({.name = "role",
                    .value = "ROLE",
                    .help = "The pods of one role, such as `worker`",
                    .into = &choice_.role});
    rows.push_back({.name = "container",
                    .value = "NAME",
                    .help = "This container, or init container; the first without it",
                    .into = &choice_.container});
    rows.push_back({.name = "all-containers",
                    .help = "All containers of a pod, with its init containers",
                    .into = &choice_.all_containers});
    rows.push_back({.name = "follow",
                    .letter = 'f',
                    .help = "Go on until the job ends",
                    .into = &choice_.request.follow});
    rows.push_back({.name = "since",
                    .value = "TIME",
                    .help = "Lines of this time, such as `10m`",
                    .into = &since_});
    rows.push_back({.name = "tail", .value = "LINES", .help = "The last lines", .into = &tail_});
    rows.push_back({.name = "previous",
                    .help = "The container before its last restart",
                    .into = &choice_.request.previous});
    rows.push_back({.name = "timestamps",
                    .help = "The time of each line before it",
                    .into = &choice_.timestamps});
    rows.push_back({.name = "grep",
                    .value = "PATTERN",
                    .help = "Lines that a pattern (RE2) fits",
                    .into = &grep_});
    rows.push_back({.name = "mask",
                    .help = "Mask what looks like a credential, for logs that are passed on",
                    .into = &choice_.mask});
    return rows;
  }

  ExitCode run(Io& io) override {
    if (const ExitCode code = read_options(io); code != ExitCode::Good) return code;
    std::unique_ptr<RE2> pattern;
    if (!grep_.empty()) {
      pattern = std::make_unique<RE2>(grep_, RE2::Quiet);
      if (!pattern->ok()) return wrong_call(io, "`--grep` is no pattern: " + pattern->error());
      choice_.grep = pattern.get();
    }
    const Looked looked = look(io, Around::Everything, true, choice_.role);
    if (!looked.is_there()) return looked.code;
    if (!choice_.request.follow) return print(io, looked);
    return follow_logs(io, *looked.cluster, looked.found.jobs.front(), choice_, {}).code;
  }

 private:
  ExitCode read_options(Io& io) {
    if (choice_.all_containers && !choice_.container.empty()) {
      return wrong_call(io, "`--container` goes with no `--all-containers`: leave one of them out");
    }
    const auto ranks = all_ ? std::optional(RankSet::all()) : RankSet::read(ranks_);
    if (!ranks) return wrong_call(io, "`--rank` is " + shown(ranks_) + "; expected `0` or `0,3-5`");
    choice_.ranks = *ranks;
    choice_.colour = io.colour;
    if (!since_.empty()) {
      const auto since = read_duration(since_);
      if (!since) return wrong_duration(io, "--since", since_);
      choice_.request.since = since->count() / 1000;
    }
    if (!tail_.empty()) {
      const auto lines = read_count(tail_);
      if (!lines) return wrong_call(io, "`--tail` is " + shown(tail_) + "; expected a number");
      choice_.request.tail = *lines;
    }
    return ExitCode::Good;
  }

  ExitCode print(Io& io, const Looked& looked) {
    const LiveJob& job = looked.found.jobs.front();
    LogPrinter printer(looked.transport(), job, choice_);
    for (const View pod : looked.found.dump.pods_of(job.object)) printer.see(pod);
    while (!printer.is_idle() && looked.transport().turn()) {
    }
    flush_output();
    if (looked.transport().interrupted()) return tell(io, *looked.cluster, interruption());
    for (const std::string& problem : printer.problems()) {
      io.err += "error: " + foreign_text(problem) + "\n";
    }
    if (!printer.problems().empty()) return kNotReached;
    if (printer.logs() == 0) return nothing_yet(io, looked, printer.pods());
    return ExitCode::Good;
  }

  /// An empty answer would say that the program printed nothing.
  static ExitCode nothing_yet(Io& io, const Looked& looked, std::size_t pods) {
    const LiveJob& job = looked.found.jobs.front();
    const JobState state = job_status(looked.found.dump, job.object, *job.kind).state;
    io.err += "error: " + foreign_text(job.heading()) + " is " + std::string(name_of(state.phase)) +
              (pods == 0 ? ", and has no such pod" : ", and no such container has begun") +
              "\n   = help: `trainyard diagnose " + foreign_text(job.name()) +
              "` says what keeps it; `-f` waits for it\n";
    return kNoSuchJob;
  }

  bool all_ = false;
  std::string ranks_ = "0";
  std::string since_;
  std::string tail_;
  std::string grep_;
  LogChoice choice_;
};

}  // namespace

std::unique_ptr<Command> logs_command(LocalMachine& machine) {
  return std::make_unique<LogsCommand>(machine);
}

}  // namespace trainyard
