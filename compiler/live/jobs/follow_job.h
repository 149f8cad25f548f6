#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cluster/api/watch.h"
#include "effective/status.h"
#include "live/jobs/live_jobs.h"

namespace trainyard {

/// How a job that is followed stands.
struct JobNews {
  bool gone = false;                // it is no longer there
  JobState state;                   // the last that was seen
  std::optional<ApiError> refused;  // it can be followed no longer
};

struct FollowEvents {
  std::function<void(const JobNews& news)> news;
  /// Of a connection that is lost, and with "" that it works again.
  std::function<void(const std::string& problem)> troubled;
  /// What may not be watched.
  std::function<void(const std::string& note)> noted = [](const std::string&) {};
  /// Each pod that is there or changes. Without it pods are watched once the job says that it runs.
  std::function<void(View pod)> pod = {};
};

/// Watches one job and its pods. Its phase is the one that `status` shows: the job runs when all
/// its pods do.
class JobFollower {
 public:
  /// Both must outlive this.
  JobFollower(Transport& transport, const LiveJob& job, FollowEvents events);
  JobFollower(const JobFollower&) = delete;

  const JobNews& news() const { return news_; }

 private:
  struct Kept {
    View object;
    JsonAnswer keeper;
  };

  void watch(const std::string& key, Selection selection, WatchEvents events);
  void watch_around(const std::string& key, Selection selection);
  void watch_pods();
  void see(View object, const JsonAnswer& keeper);
  void see_around(const std::string& key, View object, const JsonAnswer& keeper);
  void judge();
  void tell_gone();

  Transport& transport_;
  const LiveJob& followed_;
  FollowEvents events_;
  JobNews news_;
  std::string uid_;
  Kept job_;
  std::map<std::string, Kept> around_;  // pods, and what a kind without signs makes
  std::size_t waits_for_ = 0;           // lists of those that have not come
  std::map<std::string, std::unique_ptr<Watch>> watches_;  // by what they select
};

}  // namespace trainyard
