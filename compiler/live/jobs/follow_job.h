#pragma once

#include <functional>
#include <optional>
#include <string>

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

/// Watches one job. What is told of a connection that is lost and comes back goes to `troubled`.
class JobFollower {
 public:
  JobFollower(Transport& transport, const LiveJob& job, const std::string& name_space,
              std::function<void(const JobNews&)> on_news,
              std::function<void(const std::string&)> troubled);

  const JobNews& news() const { return news_; }

 private:
  void see(View object);

  const JobKind& kind_;
  std::string uid_;
  std::function<void(const JobNews&)> on_news_;
  JobNews news_;
  bool seen_ = false;
  Watch watch_;
};

}  // namespace trainyard
