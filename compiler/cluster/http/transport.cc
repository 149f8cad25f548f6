#include "cluster/http/transport.h"

#include <algorithm>
#include <deque>
#include <map>
#include <new>
#include <string>
#include <utility>

#include "cluster/http/multi_handle.h"
#include "cluster/http/problems.h"
#include "cluster/http/started_call.h"
#include "cluster/http/stream_connections.h"

namespace trainyard {
namespace {

constexpr int kLongestRetryAfter = 600;  // seconds

/// libcurl as a whole, for as long as a transport lives.
struct Library {
  Library() {
    if (::curl_global_init(CURL_GLOBAL_DEFAULT) != 0) throw std::bad_alloc();
  }
  Library(const Library&) = delete;
  ~Library() { ::curl_global_cleanup(); }
};

int status_of(CURL* easy) {
  long status = 0;
  ::curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  return static_cast<int>(status);
}

bool is_success(int status) {
  return status >= 200 && status < 300;
}

}  // namespace

class Transport::Work {
  using Call = StartedCall;

 public:
  Work(Connection& connection, LocalMachine& machine, TransportLimits limits)
      : connection_(connection),
        machine_(machine),
        limits_(limits),
        attempts_(connection),
        streams_(connection.endpoint.server.starts_with("https://")) {
    multi_.set_connections(Lane::Single, kConnections);
  }
  Work(const Work&) = delete;
  ~Work() {
    for (auto& [ticket, call] : calls_) detach(*call);
  }

  Ticket start(Request request, OnEnd on_end, OnLine on_line) {
    auto call = std::make_unique<Call>();
    call->due = Clock::now();
    call->until = call->due + time_for(request);
    call->longest = request.streams ? limits_.line_bytes : limits_.answer_bytes;
    call->request = std::move(request);
    call->on_end = std::move(on_end);
    call->on_line = std::move(on_line);
    return keep(std::move(call));
  }

  Ticket after(Milliseconds wait, std::function<void()> then) {
    auto call = std::make_unique<Call>();
    call->due = Clock::now() + wait;
    call->then = std::move(then);
    return keep(std::move(call));
  }

  void cancel(Ticket ticket) {
    const auto found = calls_.find(ticket);
    if (found == calls_.end()) return;
    detach(*found->second);
    // A callback of its own may be what cancels it: that callback goes on until it returns.
    ended_.push_back(std::move(found->second));
    calls_.erase(found);
  }

  bool turn(Milliseconds longest) {
    const ClockTime until = Clock::now() + longest;
    ended_.clear();
    while (!calls_.empty()) {
      if (step()) return true;
      const ClockTime now = Clock::now();
      if (now >= until) return true;
      wait(std::min(until, look_at_) - now);
    }
    return false;
  }

  bool interrupted() const { return is_interrupted_; }
  const SentWrites& writes() const { return writes_; }
  const Connection& connection() const { return connection_; }

 private:
  Ticket keep(std::unique_ptr<Call> call) {
    const Ticket ticket = ++last_ticket_;
    call->ticket = ticket;
    look_at_ = std::min(look_at_, call->due);
    calls_.emplace(ticket, std::move(call));
    return ticket;
  }

  Milliseconds time_for(const Request& request) const {
    return request.timeout.count() != 0 ? request.timeout : limits_.timeout;
  }

  Call* find(Ticket ticket) {
    const auto found = calls_.find(ticket);
    return found == calls_.end() ? nullptr : found->second.get();
  }

  std::vector<Ticket> tickets() const {
    std::vector<Ticket> result;
    result.reserve(calls_.size());
    for (const auto& [ticket, call] : calls_) result.push_back(ticket);
    return result;
  }

  /// True when a callback was called.
  bool step() {
    bool acted = false;
    const bool is_due = Clock::now() >= look_at_;
    // Nothing begins after an interrupt.
    if (is_due) is_interrupted_ = MultiHandle::has_news(machine_.interrupt) || is_interrupted_;
    if (is_interrupted_ || is_due) acted = look_through();
    multi_.act();
    make_spare_room();
    for (const Ticket ticket : std::exchange(received_, {})) {
      const Call* const call = find(ticket);
      if (call != nullptr && call->on_line) acted = give_lines(ticket) || acted;
    }
    return finish_attempts() || acted;
  }

  /// Begins what is due and ends what has waited too long. True when a callback was called.
  bool look_through() {
    bool acted = false;
    const ClockTime now = Clock::now();
    look_at_ = ClockTime::max();
    for (const Ticket ticket : tickets()) {
      Call* const call = find(ticket);
      if (call == nullptr) continue;
      if (is_interrupted_) {
        acted = true;
        fail(*call, Trouble::Interrupted, "interrupted");
      } else if (call->attempt == nullptr && call->due <= now) {
        acted = begin(*call) || acted;
      } else if (awaits_beginning(*call) && call->until <= now) {
        acted = true;
        fail(*call, Trouble::TimedOut,
             explain({CURLE_OPERATION_TIMEDOUT, 0, "", true}, connection_.endpoint).problem);
      }
    }
    look_at_ = std::min(look_at_, next_due());
    return acted;
  }

  /// A stream whose answer must begin by `until` and has not.
  static bool awaits_beginning(const Call& call) {
    return call.attempt != nullptr && call.request.streams && call.request.timeout.count() != 0 &&
           status_of(call.attempt->easy.get()) == 0;
  }

  void wait(Clock::duration longest) {
    is_interrupted_ = multi_.wait(longest, machine_.interrupt) || is_interrupted_;
  }

  ClockTime next_due() const {
    ClockTime result = ClockTime::max();
    for (const auto& [ticket, call] : calls_) {
      if (call->attempt == nullptr) result = std::min(result, call->due);
      if (awaits_beginning(*call)) result = std::min(result, call->until);
    }
    return result;
  }

  /// True when a callback was called.
  bool begin(Call& call) {
    if (call.then) {
      const auto then = std::move(call.then);
      cancel(call.ticket);
      then();
      return true;
    }
    if (call.request.streams && awaits_probe()) {
      call.due = ClockTime::max();
      return false;
    }
    call.shares = call.probes || (call.request.streams && streams_.shares());
    std::string problem;
    const Identity* const identity = connection_.identity->current(problem);
    if (identity != nullptr) {
      call.attempt = attempts_.make(call.request, *identity, call.shares, problem);
    }
    if (call.attempt == nullptr) {
      fail(call, Trouble::NoIdentity, problem);
      return true;
    }
    CURL* const easy = call.attempt->easy.get();
    const auto left = std::chrono::duration_cast<Milliseconds>(call.until - Clock::now());
    const auto at_least_one = [](Milliseconds time) {
      return static_cast<long>(std::max<Milliseconds::rep>(time.count(), 1));
    };
    ::curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                       at_least_one(std::min(limits_.connect, left)));
    ::curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, call.request.streams ? 0L : at_least_one(left));
    ::curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, Call::receive);
    ::curl_easy_setopt(easy, CURLOPT_WRITEDATA, &call);
    ::curl_easy_setopt(easy, CURLOPT_PRIVATE, &call);
    call.generation = generation_;
    call.fresh = &received_;
    call.received.clear();
    call.has_begun = false;
    ++call.answer.attempts;
    if (call.request.writes) {
      writes_.any = true;
      writes_.unanswered.insert(call.request.path);
    }
    make_room(call, 1);
    multi_.add(call.lane(), easy);
    return false;
  }

  bool awaits_probe() {
    if (!streams_.awaits_probe()) return false;
    if (streams_.needs_probe()) {
      streams_.note_probe();
      const Ticket probe = start({.path = "/version", .timeout = limits_.connect},
                                 [this](Answer&) { begin_waiting(); }, {});
      find(probe)->probes = true;
    }
    return true;
  }

  /// The streams that have waited for the probe.
  void begin_waiting() {
    streams_.end_probe(false);  // where it had no answer
    look_at_ = Clock::now();
    for (auto& [ticket, call] : calls_) {
      if (call->due != ClockTime::max()) continue;
      call->due = look_at_;
      call->until = look_at_ + time_for(call->request);
    }
  }

  void detach(Call& call) {
    if (call.attempt == nullptr) return;
    multi_.remove(call.lane(), call.attempt->easy.get());
    attempts_.take_back(std::move(call.attempt));
    make_room(call, -1);
  }

  void make_room(const Call& call, long streams) {
    if (!call.request.streams && !call.probes) return;
    streams_.add(call.shares, streams);
    multi_.set_connections(Lane::Single, kConnections + streams_.single());
    multi_.set_connections(Lane::Shared, streams_.shared());
  }

  /// Once a second: where no fewer streams wait for a connection than before, they need more.
  void make_spare_room() {
    if (!streams_.has_shared() || Clock::now() < look_for_room_at_) return;
    look_for_room_at_ = Clock::now() + std::chrono::seconds(1);
    const auto waiting = std::ranges::count_if(calls_, [](const auto& each) {
      const Call& call = *each.second;
      if (call.attempt == nullptr || !call.shares) return false;
      curl_off_t sent_after = 0;
      ::curl_easy_getinfo(call.attempt->easy.get(), CURLINFO_PRETRANSFER_TIME_T, &sent_after);
      return sent_after == 0;
    });
    if (!streams_.are_stuck(waiting)) return;
    multi_.set_connections(Lane::Shared, streams_.shared());
  }

  /// Gives the whole lines that a stream has received. True when there were some.
  bool give_lines(Ticket ticket) {
    Call* call = find(ticket);
    if (call->received.empty() || call->attempt == nullptr) return false;
    if (!is_success(status_of(call->attempt->easy.get()))) return false;
    const std::size_t end = call->received.rfind('\n');
    if (end == std::string::npos) return false;
    const std::string lines = call->received.substr(0, end);
    call->received.erase(0, end + 1);
    const OnLine on_line = call->on_line;
    for (std::size_t at = 0; at <= lines.size() && find(ticket) != nullptr;) {
      const std::size_t line_end = std::min(lines.find('\n', at), lines.size());
      on_line(std::string_view(lines).substr(at, line_end - at));
      at = line_end + 1;
    }
    return true;
  }

  /// True when a callback was called.
  bool finish_attempts() {
    bool acted = false;
    while (CURLMsg* const message = multi_.next_end()) {
      if (message->msg != CURLMSG_DONE) continue;
      void* owner = nullptr;
      ::curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &owner);
      acted = finish(*static_cast<Call*>(owner), message->data.result) || acted;
    }
    return acted;
  }

  bool finish(Call& call, CURLcode code) {
    CURL* const easy = call.attempt->easy.get();
    if (call.probes) {
      long version = 0;
      ::curl_easy_getinfo(easy, CURLINFO_HTTP_VERSION, &version);
      streams_.end_probe(code == CURLE_OK && version >= CURL_HTTP_VERSION_2_0);
    }
    Answer& answer = call.answer;
    answer.status = status_of(easy);
    answer.trouble = Trouble::None;
    answer.problem.clear();
    curl_off_t retry_after = 0;
    ::curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &retry_after);
    answer.retry_after =
        static_cast<int>(std::clamp<curl_off_t>(retry_after, 0, kLongestRetryAfter));
    if (code != CURLE_OK) return finish_broken(call, code);
    has_answered_ = true;
    writes_.unanswered.erase(call.request.path);
    if (call.on_line && is_success(answer.status)) return finish_stream(call);
    answer.body = std::move(call.received);
    if (answer.status == 401 && !call.is_renewed && has_another_identity(call)) {
      call.is_renewed = true;
      if (again(call, Milliseconds(0))) return false;
    }
    const bool may_repeat = call.request.repeatable || answer.status == 429;
    if (may_repeat && is_passing(answer) && again(call, call.pause())) return false;
    end(call);
    return true;
  }

  /// Of many requests that the server refuses together, the first asks for another identity.
  bool has_another_identity(const Call& call) {
    if (call.generation != generation_) return true;
    if (!connection_.identity->refused()) return false;
    ++generation_;
    return true;
  }

  bool finish_stream(Call& call) {
    const Ticket ticket = call.ticket;
    give_lines(ticket);
    if (find(ticket) == nullptr) return true;
    call.answer.body = std::move(call.received);
    end(call);
    return true;
  }

  bool finish_broken(Call& call, CURLcode code) {
    const Ticket ticket = call.ticket;
    if (call.on_line) give_lines(ticket);
    if (find(ticket) == nullptr) return true;
    CURL* const easy = call.attempt->easy.get();
    FailedAttempt failed{code, 0, call.attempt->words};
    double connected = 0;
    long new_connections = 0;
    ::curl_easy_getinfo(easy, CURLINFO_HTTP_CONNECTCODE, &failed.proxy_status);
    ::curl_easy_getinfo(easy, CURLINFO_CONNECT_TIME, &connected);
    ::curl_easy_getinfo(easy, CURLINFO_NUM_CONNECTS, &new_connections);
    failed.was_connected = connected > 0 || (has_answered_ && new_connections == 0);
    const Explained explained = explain(failed, connection_.endpoint);
    call.answer.trouble = explained.trouble;
    call.answer.problem = explained.problem;
    if (call.is_too_large) {
      call.answer.problem = "the answer is larger than " + std::to_string(call.longest) + " bytes";
    }
    const bool has_begun = call.request.streams && call.has_begun;
    // Before the first answer a mistake in the kubeconfig is more likely than an outage.
    const bool may_pass = explained.trouble == Trouble::Lost ||
                          (has_answered_ && explained.trouble == Trouble::NotReached);
    if (call.request.repeatable && may_pass && !has_begun && !call.is_too_large &&
        again(call, call.pause())) {
      return false;
    }
    end(call);
    return true;
  }

  /// Queues the next attempt; false where there is no time for one.
  bool again(Call& call, Milliseconds pause) {
    if (Clock::now() + pause >= call.until) return false;
    detach(call);
    call.due = Clock::now() + pause;
    look_at_ = std::min(look_at_, call.due);
    return true;
  }

  void fail(Call& call, Trouble trouble, std::string problem) {
    if (!call.on_end) return cancel(call.ticket);
    call.answer.status = 0;
    call.answer.trouble = trouble;
    call.answer.problem = std::move(problem);
    end(call);
  }

  void end(Call& call) {
    const OnEnd on_end = std::move(call.on_end);
    Answer answer = std::move(call.answer);
    cancel(call.ticket);
    if (on_end) on_end(answer);
  }

  Library library_;
  Connection& connection_;
  LocalMachine& machine_;
  TransportLimits limits_;
  AttemptMaker attempts_;
  MultiHandle multi_;
  std::map<Ticket, std::unique_ptr<Call>> calls_;
  std::deque<std::unique_ptr<Call>> ended_;  // during the turn that ends them
  std::vector<Ticket> received_;             // streams with new bytes
  ClockTime look_at_ = ClockTime::max();     // when something of `calls_` is due next
  Ticket last_ticket_ = 0;
  unsigned generation_ = 0;  // of the identity
  StreamConnections streams_;
  ClockTime look_for_room_at_;  // for streams that share connections
  SentWrites writes_;
  bool has_answered_ = false;
  bool is_interrupted_ = false;
};

Transport::Transport(Connection& connection, LocalMachine& machine, TransportLimits limits)
    : work_(std::make_unique<Work>(connection, machine, limits)) {}
Transport::~Transport() = default;

Transport::Ticket Transport::start(Request request, OnEnd on_end, OnLine on_line) {
  return work_->start(std::move(request), std::move(on_end), std::move(on_line));
}
Transport::Ticket Transport::after(Milliseconds wait, std::function<void()> then) {
  return work_->after(wait, std::move(then));
}
void Transport::cancel(Ticket ticket) {
  work_->cancel(ticket);
}
bool Transport::turn(Milliseconds longest) {
  return work_->turn(longest);
}
bool Transport::interrupted() const {
  return work_->interrupted();
}
const SentWrites& Transport::writes() const {
  return work_->writes();
}
const Connection& Transport::connection() const {
  return work_->connection();
}

void Transport::report_progress(std::size_t done, std::size_t all, std::string_view what) const {
  if (report_ && all > kConnections) report_(done, all, what);
}

std::vector<Answer> Transport::send_all(std::vector<Request> requests) {
  std::vector<Answer> answers(requests.size());
  std::size_t next = 0;
  std::size_t done = 0;
  std::function<void()> start_next = [&] {
    const std::size_t index = next++;
    start(std::move(requests[index]), [&, index](Answer& answer) {
      answers[index] = std::move(answer);
      ++done;
      if (next < requests.size()) start_next();
    });
  };
  // libcurl looks at each one that waits, again and again.
  while (next < std::min<std::size_t>(kConnections, requests.size())) start_next();
  while (done < answers.size()) {
    report_progress(done, answers.size(), "requests");
    turn();
  }
  report_progress(done, answers.size(), "requests");
  return answers;
}

Answer Transport::send(Request request) {
  std::vector<Request> one;
  one.push_back(std::move(request));
  return std::move(send_all(std::move(one)).front());
}

}  // namespace trainyard
