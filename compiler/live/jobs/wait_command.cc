#include "diag/foreign_text.h"
#include "diag/words.h"
#include "live/jobs/follow_job.h"
#include "live/jobs/job_command.h"
#include "live/live_command.h"
#include "live/live_exit.h"
#include "live/terminal.h"
#include "live/time_word.h"

namespace trainyard {
namespace {

class WaitCommand : public JobCommand {
 public:
  using JobCommand::JobCommand;

  std::string_view name() const override { return "wait"; }
  std::string_view summary() const override {
    return "Wait until a job runs, has ended or is gone";
  }
  std::string_view description() const override {
    return "Follows a job and tells each phase on standard error. The exit code says how it came "
           "out: 0 for what was waited for, 5 when the job failed, 6 when it is not there or went "
           "without an end, 7 after `--timeout`, 4 when the cluster was lost.\n\n"
           "A job runs when all its pods do. An object that goes after its job has succeeded, as "
           "by `ttlSecondsAfterFinished`, is a success.";
  }
  std::vector<Example> examples() const override {
    return {{"trainyard wait llama", "Until the job has ended."},
            {"trainyard wait job.yaml --for running --timeout 30m",
             "Fail with 7 when it does not run within half an hour."}};
  }

  Arguments arguments() override {
    Arguments rows;
    add_job_arguments(rows, true);
    rows.push_back(
        {.name = "for",
         .value = "PHASE",
         .help = "What to wait for: `running`, `finished` (which is the default) or `gone`",
         .kind = ValueKind::Word,
         .words = {"running", "finished", "gone"},
         .into = &for_});
    rows.push_back({.name = "timeout",
                    .value = "TIME",
                    .help = "Give up after this time, such as `30m`; never without it",
                    .into = &timeout_});
    return rows;
  }

  ExitCode run(Io& io) override {
    const auto timeout =
        timeout_.empty() ? std::optional(Milliseconds(0)) : read_duration(timeout_);
    if (!timeout) return wrong_duration(io, "--timeout", timeout_);
    const Looked looked = look(io, Around::Nothing, true);
    if (!looked.is_there())
      return looked.code == kNoSuchJob && for_ == "gone" ? gone(io) : looked.code;
    return follow(io, looked, *timeout);
  }

 private:
  ExitCode gone(Io& io) {
    io.err.clear();
    return ExitCode::Good;
  }

  ExitCode follow(Io& io, const Looked& looked, Milliseconds timeout) {
    const LiveJob& job = looked.found.jobs.front();
    std::optional<ExitCode> code;
    std::string told;
    JobFollower follower(
        looked.transport(), job, looked.name_space,
        [&](const JobNews& news) {
          tell_phase(news, told);
          if (!code) code = outcome(news);
        },
        [](const std::string& problem) {
          say_now(problem.empty() ? "connected again" : foreign_text(problem));
        });
    bool timed_out = false;
    if (timeout.count() > 0) looked.transport().after(timeout, [&timed_out] { timed_out = true; });
    while (!code && !timed_out && looked.transport().turn()) {
    }
    if (looked.transport().interrupted()) return interrupted(io, job, follower.news());
    if (!code && timed_out) {
      io.err += "error: " + foreign_text(job.heading()) + " is " +
                std::string(name_of(follower.news().state.phase)) + " after " + timeout_ +
                "; it goes on\n";
      return kTimedOut;
    }
    if (follower.news().refused) return tell(io, *looked.cluster, *follower.news().refused);
    return code.value_or(kNotReached);
  }

  static ExitCode interrupted(Io& io, const LiveJob& job, const JobNews& news) {
    io.err += foreign_text(job.heading()) + " was " + std::string(name_of(news.state.phase)) +
              "; it is not touched\n";
    return kInterrupted;
  }

  static void tell_phase(const JobNews& news, std::string& told) {
    std::string line = news.gone ? "gone" : std::string(name_of(news.state.phase));
    if (!news.gone && !news.state.reason.empty()) line += ": " + news.state.reason;
    if (!news.gone && !news.state.message.empty()) line += ": " + news.state.message;
    line = foreign_text(line);
    if (line == told) return;
    told = line;
    say_now(line);
  }

  std::optional<ExitCode> outcome(const JobNews& news) const {
    const JobPhase phase = news.state.phase;
    if (news.refused) return kNotReached;
    if (news.gone) {
      if (for_ == "gone" || phase == JobPhase::Succeeded) return ExitCode::Good;
      return phase == JobPhase::Failed ? kJobFailed : kNoSuchJob;
    }
    if (for_ == "gone") return std::nullopt;
    if (phase == JobPhase::Failed) return kJobFailed;
    if (phase == JobPhase::Succeeded) return ExitCode::Good;
    if (for_ == "running" && phase == JobPhase::Running) return ExitCode::Good;
    return std::nullopt;
  }

  std::string for_ = "finished";
  std::string timeout_;
};

}  // namespace

std::unique_ptr<Command> wait_command(LocalMachine& machine) {
  return std::make_unique<WaitCommand>(machine);
}

}  // namespace trainyard
