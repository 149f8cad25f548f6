#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cluster/api/api_error.h"
#include "cluster/http/transport.h"

namespace trainyard {

struct LogRequest {
  std::string name_space = {};
  std::string pod = {};
  std::string container = {};
  bool follow = false;
  bool previous = false;           // of the container before its last restart
  std::optional<long> tail = {};   // lines; all where there is none
  std::optional<long> since = {};  // seconds before now
  std::optional<long> bytes = {};  // at most; all where there is none
  /// How often the container has been started again, where that is known from its pod; else a
  /// followed log asks for it first.
  std::optional<long> restarts = {};
};

struct LogEvents {
  /// A line, with the time at which the container wrote it (RFC 3339), without a line break.
  std::function<void(std::string_view time, std::string_view text)> line = {};
  /// The container runs again, after its restart number `restarts`.
  std::function<void(long restarts)> restarted = {};
  /// The connection is lost and is tried again, or (with "") works again.
  std::function<void(const std::string& problem)> troubled = {};
  /// All lines came, or, with an error, no more come. Without `follow` an error is reported
  /// at once. `exit_code` is that of the container where it has ended and was followed.
  std::function<void(const std::optional<ApiError>& error, std::optional<long> exit_code)> ended =
      {};
};

/// The log of one container. Followed, it goes on over cuts and restarts of the container until the
/// pod has ended or is gone: each line comes once. The API server ends a stream without a sign when
/// the connection to the node breaks, so that the state of the container decides whether it was
/// the end. It runs in `Transport::turn`, and must not be destroyed by its own events.
class PodLog {
 public:
  /// `transport` must outlive this.
  PodLog(Transport& transport, LogRequest request, LogEvents events,
         Milliseconds reconnect = std::chrono::minutes(10));
  PodLog(const PodLog&) = delete;
  PodLog& operator=(const PodLog&) = delete;
  ~PodLog();

 private:
  class Follower;
  std::unique_ptr<Follower> follower_;
};

}  // namespace trainyard
