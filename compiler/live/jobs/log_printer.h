#pragma once

#include <re2/re2.h>

#include <deque>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cluster/api/pod_log.h"
#include "diagnosis/pod_rank.h"
#include "live/jobs/live_jobs.h"
#include "live/jobs/rank_set.h"

namespace trainyard {

/// The pods and containers whose logs are wanted, and how they are shown.
struct LogChoice {
  RankSet ranks;
  std::string role = {};
  std::string container = {};  // "" for the first
  bool all_containers = false;
  LogRequest request = {};
  bool timestamps = false;
  bool mask = false;
  bool colour = false;
  const RE2* grep = nullptr;
};

/// Of the pods of a job, those that are wanted; each is followed as soon as it is there. Lines go
/// to standard output.
class LogPrinter {
 public:
  LogPrinter(Transport& transport, const LiveJob& job, const LogChoice& choice)
      : transport_(transport), job_(job), choice_(choice) {}

  /// A pod that runs, has run or may run; seen again it costs nothing.
  void see(View pod);

  bool is_idle() const { return open_ == 0; }
  std::size_t pods() const { return wanted_.size(); }
  std::size_t logs() const { return logs_.size(); }
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  bool is_wanted(const PodRank& place) const;
  bool is_wanted(View pod, std::string_view container) const;
  void follow(View pod, View status, const PodRank& place);
  LogEvents events_of(const std::string& name, const std::string& prefix);
  std::string prefix_of(const LogRequest& request, const PodRank& place);
  void print(const std::string& prefix, std::string_view time, std::string_view text) const;

  Transport& transport_;
  const LiveJob& job_;
  const LogChoice& choice_;
  std::deque<std::unique_ptr<PodLog>> logs_;
  std::set<std::string> wanted_;                         // UIDs of pods
  std::set<std::pair<std::string, std::string>> begun_;  // UID of a pod, and container
  std::vector<std::string> problems_;
  std::size_t open_ = 0;
  unsigned colours_ = 0;
};

}  // namespace trainyard
