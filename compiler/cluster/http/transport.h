#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/connect/connection.h"
#include "cluster/http/request.h"

namespace trainyard {

struct TransportLimits {
  Milliseconds timeout{30'000};  // of a request that does not stream, with all its attempts
  Milliseconds connect{10'000};  // until the TLS handshake is done
  std::size_t answer_bytes = 256 * 1024 * 1024;  // of an answer that does not stream
  std::size_t line_bytes = 64 * 1024 * 1024;     // of a line of one that does
};

/// Which requests that change something were sent.
struct SentWrites {
  bool any = false;
  std::set<std::string> unanswered;  // their paths: each may be done or not
};

/// Sends requests to one API server over up to `kConnections`, and streams over more: the first
/// have one each, further ones share some if the server speaks HTTP/2.
/// Repeats what may be repeated. One thread: callbacks come from within `turn`, and may start and
/// cancel requests and timers.
class Transport {
 public:
  /// Both must outlive this.
  Transport(Connection& connection, LocalMachine& machine, TransportLimits limits = {});
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  ~Transport();

  using Ticket = std::uint64_t;
  using OnLine = std::function<void(std::string_view line)>;  // without its line break
  using OnEnd = std::function<void(Answer& answer)>;
  using OnProgress = std::function<void(std::size_t done, std::size_t all, std::string_view what)>;

  /// Queues a request. `on_line` gets the lines of a stream; what follows the last line break is in
  /// the body of its answer: it may be the half of a line.
  Ticket start(Request request, OnEnd on_end, OnLine on_line = {});
  /// Calls `then` once, later.
  Ticket after(Milliseconds wait, std::function<void()> then);
  /// Ends a request or timer without a further callback. One that has ended is no mistake.
  void cancel(Ticket ticket);

  /// Waits until something happens, for at most `longest`, and does what there is to do. False when
  /// no request and no timer is left. After an interrupt every request ends with
  /// Trouble::Interrupted.
  bool turn(Milliseconds longest = Milliseconds(1'000));
  bool interrupted() const;
  const SentWrites& writes() const;

  // A TLS handshake costs the client as much as ten requests.
  static constexpr long kConnections = 4;

  /// Work that takes several turns of all connections is reported as it goes on, at last with all
  /// that there was to do.
  void report_to(OnProgress report) { report_ = std::move(report); }
  void report_progress(std::size_t done, std::size_t all, std::string_view what) const;

  /// Sends all, at most one for each connection at a time, and waits for all. Answers are in the
  /// order of requests.
  std::vector<Answer> send_all(std::vector<Request> requests);
  Answer send(Request request);

  const Connection& connection() const;

 private:
  class Work;
  std::unique_ptr<Work> work_;
  OnProgress report_;
};

}  // namespace trainyard
