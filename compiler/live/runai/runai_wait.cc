#include "live/runai/runai_wait.h"

#include <algorithm>

#include "diag/foreign_text.h"
#include "live/live_exit.h"
#include "live/runai/runai_jobs.h"
#include "live/terminal.h"

namespace trainyard {
namespace {

constexpr Milliseconds kFirstPause{250};
constexpr Milliseconds kLongestPause{5'000};
constexpr Milliseconds kAppears{60'000};  // what was just submitted may not be listed yet

class RunaiWaiter {
 public:
  RunaiWaiter(Io& io, LiveCluster& cluster, const std::vector<LiveJob>& jobs,
              const WaitOptions& options)
      : io_(io), cluster_(cluster), options_(options) {
    for (const LiveJob& job : jobs) {
      const bool is_there{job.object["status"]};
      followed_.push_back({job, is_there, {}, {}, std::nullopt});
      if (is_there) followed_.back().news.state = judge_status(*job.kind, job.object);
    }
  }

  Waited wait() {
    bool timed_out = false;
    Transport& transport = cluster_.transport();
    Transport::Ticket timer = 0;
    if (options_.timeout.count() > 0) {
      timer = transport.after(options_.timeout, [&timed_out] { timed_out = true; });
    }
    Milliseconds pause = kFirstPause;
    while (look() && !timed_out) {
      sleep(pause, timed_out);
      pause = std::min(2 * pause, kLongestPause);
    }
    transport.cancel(timer);
    return result(timed_out);
  }

 private:
  struct Followed {
    LiveJob job;
    bool was_there;
    JobNews news;
    std::string told;
    std::optional<ExitCode> code;
  };

  /// True while there is more to wait for.
  bool look() {
    for (Followed& each : followed_) {
      if (each.code) continue;
      const std::string name(each.job.name());
      const RunaiList list = list_runai_workloads(cluster_.transport(),
                                                  {name, std::string(each.job.name_space()), ""});
      if (list.error) {
        each.news.refused = list.error;
      } else {
        see(each, list);
      }
      if (!each.news.refused) tell_phase(each);
      each.code = outcome_of(each.news, options_.goal);
    }
    return !std::ranges::all_of(followed_,
                                [](const Followed& each) { return each.code.has_value(); });
  }

  void see(Followed& each, const RunaiList& list) const {
    const auto found = std::ranges::find(list.workloads, each.job.uid(), &RunaiWorkload::id);
    if (found == list.workloads.end()) {
      each.news.gone = each.was_there || Clock::now() > begun_ + kAppears;
    } else {
      each.was_there = true;
      each.news.state = judge_status(*each.job.kind, found->object->root());
    }
  }

  void tell_phase(Followed& each) const {
    std::string line = phase_line(each.news);
    if (line == each.told) return;
    each.told = line;
    say_now(followed_.size() == 1 ? line : foreign_text(each.job.heading()) + ": " + line);
  }

  void sleep(Milliseconds pause, const bool& timed_out) {
    Transport& transport = cluster_.transport();
    bool is_over = false;
    const Transport::Ticket timer = transport.after(pause, [&is_over] { is_over = true; });
    while (!is_over && !timed_out && !transport.interrupted() && transport.turn()) {
    }
    transport.cancel(timer);
  }

  Waited result(bool timed_out) {
    Waited waited;
    for (const Followed& each : followed_) {
      waited.news.push_back(each.news);
      const ExitCode code = told(each, timed_out);
      if (waited.code == ExitCode::Good) waited.code = code;
    }
    return waited;
  }

  ExitCode told(const Followed& each, bool timed_out) {
    const std::string goes_on_line = goes_on(cluster_, each.job, each.news.state.phase, "wait");
    if (cluster_.interrupted() && (!each.code || each.news.refused)) {
      io_.err += goes_on_line;
      return kInterrupted;
    }
    if (each.news.refused) return tell(io_, cluster_, *each.news.refused);
    if (each.code) return *each.code;
    if (!timed_out) return kNotReached;
    io_.err += "error: `--timeout` is over; " + goes_on_line;
    return kTimedOut;
  }

  Io& io_;
  LiveCluster& cluster_;
  const WaitOptions& options_;
  std::vector<Followed> followed_;
  ClockTime begun_ = Clock::now();
};

}  // namespace

Waited wait_for_runai_jobs(Io& io, LiveCluster& cluster, const std::vector<LiveJob>& jobs,
                           const WaitOptions& options) {
  return RunaiWaiter(io, cluster, jobs, options).wait();
}

}  // namespace trainyard
