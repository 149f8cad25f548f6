#include "live/jobs/job_command.h"
#include "live/jobs/wait_for_jobs.h"
#include "live/live_command.h"
#include "live/live_exit.h"
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
    add_runai_argument(rows);
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
    const Goal goal = goal_of(for_);
    const Looked looked = look(io, Around::Nothing, true);
    if (!looked.is_there()) {
      return looked.code == kNoSuchJob && goal == Goal::Gone ? gone(io) : looked.code;
    }
    return wait_for_jobs(io, *looked.cluster, looked.found.jobs, {goal, *timeout}).code;
  }

 private:
  static ExitCode gone(Io& io) {
    io.err.clear();
    return ExitCode::Good;
  }

  std::string for_ = "finished";
  std::string timeout_;
};

}  // namespace

std::unique_ptr<Command> wait_command(LocalMachine& machine) {
  return std::make_unique<WaitCommand>(machine);
}

}  // namespace trainyard
