#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cluster/api/watch.h"
#include "live/jobs/looked_kinds.h"

namespace trainyard {

/// Jobs of one namespace and what is around them, as they are from moment to moment: one list and
/// one watch for each kind. It runs in `Transport::turn`.
class WatchedJobs {
 public:
  /// `name` says which of the jobs count. `troubled` hears of a connection that is lost, and with
  /// "" that it works again.
  WatchedJobs(Transport& transport, const Discovery& discovery, const JobKinds& job_kinds,
              std::string name_space, JobName name, const LookedKinds& kinds,
              std::function<void(const std::string& problem)> troubled);
  WatchedJobs(const WatchedJobs&) = delete;

  /// Whether all lists have come.
  bool is_complete() const { return waits_for_ == 0; }
  /// How many changes there were.
  unsigned changes() const { return changes_; }
  /// Good for as long as nothing turns.
  LiveJobs now() const;
  /// Of a connection that stays lost: nothing more comes.
  const std::optional<ApiError>& error() const { return error_; }

 private:
  using Key = std::pair<std::string, std::string>;  // namespace and name
  struct Kept {
    View object;
    JsonAnswer keeper;
  };
  struct Followed {
    const ApiResource* resource;
    std::map<Key, Kept> objects = {};
    bool has_come = false;
    std::unique_ptr<Watch> watch = nullptr;
  };

  void follow(Transport& transport, const ApiResource& resource);
  void come(Followed& followed);
  void end(Followed& followed, const ApiError& error);

  const Discovery& discovery_;
  const JobKinds& job_kinds_;
  std::string name_space_;
  JobName name_;
  std::function<void(const std::string& problem)> troubled_;
  std::string trouble_;
  std::list<Followed> kinds_;  // watches refer to them
  std::vector<std::string> notes_;
  std::optional<ApiError> error_;
  std::size_t waits_for_ = 0;  // kinds whose list has not come
  std::size_t watched_ = 0;    // kinds that still are
  unsigned changes_ = 0;
};

}  // namespace trainyard
