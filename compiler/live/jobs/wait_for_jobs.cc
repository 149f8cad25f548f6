#include "live/jobs/wait_for_jobs.h"

#include <deque>
#include <set>

#include "diag/foreign_text.h"
#include "live/live_exit.h"
#include "live/runai/runai_wait.h"
#include "live/terminal.h"

namespace trainyard {
namespace {

/// Several jobs that are followed at the same time.
class Waiter {
 public:
  Waiter(Io& io, LiveCluster& cluster, const std::vector<LiveJob>& jobs, const WaitOptions& options)
      : io_(io), cluster_(cluster), jobs_(jobs), options_(options) {}

  Waited wait() {
    for (const LiveJob& job : jobs_) follow(job);
    Transport& transport = cluster_.transport();
    bool timed_out = false;
    if (options_.timeout.count() > 0) {
      transport.after(options_.timeout, [&timed_out] { timed_out = true; });
    }
    while (!all_decided() && !timed_out && transport.turn()) {
    }
    return result(timed_out);
  }

 private:
  struct Followed {
    const LiveJob* job;
    std::string told;
    std::optional<ExitCode> code;
    std::unique_ptr<JobFollower> follower = nullptr;
  };

  void follow(const LiveJob& job) {
    Followed& followed = followed_.emplace_back(Followed{&job, "", std::nullopt});
    followed.follower = std::make_unique<JobFollower>(
        cluster_.transport(), job,
        FollowEvents{.news =
                         [this, &followed](const JobNews& news) {
                           tell_phase(followed, news);
                           if (!followed.code) followed.code = outcome_of(news, options_.goal);
                         },
                     .troubled = [this](const std::string& problem) { tell_trouble(problem); },
                     .noted = [this](const std::string& note) { tell_note(note); }});
  }

  /// Each note once: all jobs have the same one.
  void tell_note(const std::string& note) {
    if (notes_.insert(note).second) say_now("note: " + foreign_text(note));
  }

  /// One connection carries all watches: its loss is reported once.
  void tell_trouble(const std::string& problem) {
    if (problem == trouble_) return;
    trouble_ = problem;
    say_now(problem.empty() ? "connected again" : foreign_text(problem));
  }

  void tell_phase(Followed& followed, const JobNews& news) const {
    std::string line = phase_line(news);
    if (line == followed.told) return;
    followed.told = line;
    say_now(jobs_.size() == 1 ? line : foreign_text(followed.job->heading()) + ": " + line);
  }

  bool all_decided() const {
    for (const Followed& each : followed_) {
      if (!each.code) return false;
    }
    return true;
  }

  Waited result(bool timed_out) {
    Waited waited;
    const bool interrupted = cluster_.transport().interrupted();
    for (Followed& each : followed_) {
      const JobNews& news = each.follower->news();
      waited.news.push_back(news);
      const bool is_decided = each.code && !news.refused;
      const ExitCode code =
          interrupted && !is_decided ? told_interrupted(each) : told(each, timed_out);
      if (waited.code == ExitCode::Good) waited.code = code;
    }
    return waited;
  }

  ExitCode told_interrupted(const Followed& each) {
    io_.err +=
        "interrupted; " + goes_on(cluster_, *each.job, each.follower->news().state.phase, "wait");
    return kInterrupted;
  }

  ExitCode told(const Followed& each, bool timed_out) {
    const JobNews& news = each.follower->news();
    if (news.refused) return tell(io_, cluster_, *news.refused);
    if (each.code) return *each.code;
    if (!timed_out) return kNotReached;
    io_.err +=
        "error: `--timeout` is over; " + goes_on(cluster_, *each.job, news.state.phase, "wait");
    return kTimedOut;
  }

  Io& io_;
  LiveCluster& cluster_;
  const std::vector<LiveJob>& jobs_;
  const WaitOptions& options_;
  std::deque<Followed> followed_;  // watches refer to them
  std::string trouble_;
  std::set<std::string> notes_;
};

}  // namespace

Goal goal_of(std::string_view word) {
  if (word == "running") return Goal::Running;
  return word == "gone" ? Goal::Gone : Goal::Finished;
}

std::optional<ExitCode> outcome_of(const JobNews& news, Goal goal) {
  const JobPhase phase = news.state.phase;
  if (news.refused) return kNotReached;
  if (news.gone) {
    if (goal == Goal::Gone || phase == JobPhase::Succeeded) return ExitCode::Good;
    return phase == JobPhase::Failed ? kJobFailed : kNoSuchJob;
  }
  if (goal == Goal::Gone) return std::nullopt;
  if (phase == JobPhase::Failed) return kJobFailed;
  if (phase == JobPhase::Succeeded) return ExitCode::Good;
  if (goal == Goal::Running && phase == JobPhase::Running) return ExitCode::Good;
  return std::nullopt;
}

std::string phase_line(const JobNews& news) {
  if (news.gone) return "gone";
  std::string line(name_of(news.state.phase));
  if (!news.state.reason.empty()) line += ": " + news.state.reason;
  if (!news.state.message.empty()) line += ": " + news.state.message;
  return foreign_text(line);
}

Waited wait_for_jobs(Io& io, LiveCluster& cluster, const std::vector<LiveJob>& jobs,
                     const WaitOptions& options) {
  return cluster.is_runai() ? wait_for_runai_jobs(io, cluster, jobs, options)
                            : Waiter(io, cluster, jobs, options).wait();
}

std::string goes_on(const LiveCluster& cluster, const LiveJob& job, JobPhase phase,
                    std::string_view command) {
  const std::string name = job.heading();
  const std::string follow = cluster.call(command, name, job.name_space());
  return foreign_text(name) + " was " + std::string(name_of(phase)) +
         " and goes on; it is not touched\n   = help: `" + follow +
         (command == "logs" ? " -f" : "") + "` follows it again, `" +
         cluster.call("cancel", name, job.name_space()) + "` stops it\n";
}

}  // namespace trainyard
