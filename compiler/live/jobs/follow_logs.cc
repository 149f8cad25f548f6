#include "live/jobs/follow_logs.h"

#include "diag/foreign_text.h"
#include "live/live_exit.h"
#include "live/terminal.h"

namespace trainyard {
namespace {

/// One job that is followed until its end, with its logs.
class LogFollower {
 public:
  LogFollower(Io& io, LiveCluster& cluster, const LiveJob& job, const LogChoice& choice,
              const FollowOptions& options)
      : io_(io),
        cluster_(cluster),
        job_(job),
        options_(options),
        printer_(cluster.transport(), job, choice) {}

  Waited follow() {
    Transport& transport = cluster_.transport();
    JobFollower follower(transport, job_,
                         {.news = [this](const JobNews& news) { see(news); },
                          .troubled =
                              [](const std::string& problem) {
                                if (!problem.empty()) say_now(foreign_text(problem));
                              },
                          .noted = [](const std::string& note) { say_now(foreign_text(note)); },
                          .pod = [this](View pod) { printer_.see(pod); }});
    bool timed_out = false;
    if (options_.timeout.count() > 0) {
      transport.after(options_.timeout, [&timed_out] { timed_out = true; });
    }
    while (!(code_ && printer_.is_idle()) && !timed_out && transport.turn()) {
    }
    flush_output();
    return {code_of(follower.news(), timed_out), {follower.news()}};
  }

 private:
  void see(const JobNews& news) {
    const std::string line = phase_line(news);
    if (options_.tells_phases && line != told_) say_now(line);
    told_ = line;
    if (!code_) code_ = outcome_of(news, Goal::Finished);
  }

  ExitCode code_of(const JobNews& news, bool timed_out) {
    const JobPhase phase = news.state.phase;
    if (cluster_.transport().interrupted()) {
      io_.err += "interrupted; " + goes_on(cluster_, job_, phase, "logs");
      return kInterrupted;
    }
    if (news.refused) return tell(io_, cluster_, *news.refused);
    if (!code_ && timed_out) {
      io_.err += "error: `--timeout` is over; " + goes_on(cluster_, job_, phase, "logs");
      return kTimedOut;
    }
    if (code_ == kNoSuchJob) {
      io_.err += "error: " + foreign_text(job_.heading()) + " is gone, and was not at its end\n";
    }
    if (phase == JobPhase::Failed) {
      io_.err += "the job failed; `" +
                 cluster_.call("diagnose", job_.heading(), job_.name_space()) + "` says why\n";
    }
    return code_.value_or(kNotReached);
  }

  Io& io_;
  LiveCluster& cluster_;
  const LiveJob& job_;
  const FollowOptions& options_;
  LogPrinter printer_;
  std::string told_;
  std::optional<ExitCode> code_;
};

}  // namespace

Waited follow_logs(Io& io, LiveCluster& cluster, const LiveJob& job, const LogChoice& choice,
                   const FollowOptions& options) {
  return LogFollower(io, cluster, job, choice, options).follow();
}

}  // namespace trainyard
