#include "cluster/api/pod_log.h"

#include <algorithm>
#include <utility>

#include "cluster/api/api_paths.h"
#include "cluster/api/calls.h"
#include "cluster/api/log_lines.h"
#include "cluster/api/reconnection.h"
#include "cluster/json_document.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr Milliseconds kPause{1'000};  // before the state of a container is asked for again

/// How a container is, as its pod tells.
struct ContainerState {
  enum class Phase { Waiting, Running, Ended };
  Phase phase = Phase::Waiting;
  long restarts = 0;
  std::optional<long> exit_code;
  bool is_final = false;  // it will not start again
};

View item_named(View parent, std::string_view list, std::string_view name) {
  for (const View each : items_at(parent, list)) {
    if (string_at(each, "name") == name) return each;
  }
  return {};
}

/// Whether a container that has ended is started again, as long as its pod goes on. A sidecar, an
/// init container with a policy of its own, is; another init container that ended well is not.
bool starts_again(View pod, std::string_view container, long exit_code) {
  const View spec = get(pod, "spec");
  const View init = item_named(spec, "initContainers", container);
  const std::string_view own = string_at(init, "restartPolicy");
  const std::string_view policy = own.empty() ? string_at(spec, "restartPolicy") : own;
  if (policy == "Always") return !init || !own.empty() || exit_code != 0;
  return policy == "OnFailure" && exit_code != 0;
}

View status_of(View pod, std::string_view container) {
  for (const char* list :
       {"containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"}) {
    if (const View found = item_named(get(pod, "status"), list, container)) return found;
  }
  return {};
}

ContainerState state_of(View pod, std::string_view container) {
  ContainerState result;
  const View status = status_of(pod, container);
  const View state = get(status, "state");
  const View ended = get(state, "terminated");
  result.restarts = static_cast<long>(integer_at(status, "restartCount").value_or(0));
  const std::string_view pod_phase = string_at(get(pod, "status"), "phase");
  const bool is_over = pod_phase == "Succeeded" || pod_phase == "Failed";
  if (get(state, "running")) {
    result.phase = ContainerState::Phase::Running;
  } else if (ended) {
    result.phase = ContainerState::Phase::Ended;
    result.exit_code = static_cast<long>(integer_at(ended, "exitCode").value_or(0));
  }
  result.is_final =
      is_over || (ended && !starts_again(pod, container, result.exit_code.value_or(0)));
  return result;
}

}  // namespace

class PodLog::Follower {
 public:
  Follower(Transport& transport, LogRequest request, LogEvents events, Milliseconds reconnect)
      : transport_(transport),
        request_(std::move(request)),
        events_(std::move(events)),
        reconnection_(reconnect, events_.troubled),
        lines_([this](std::string_view time, std::string_view text) {
          has_lines_ = true;
          if (events_.line) events_.line(time, text);
        }) {
    if (request_.follow && !request_.restarts) {
      ask_state();
    } else {
      open(request_.follow ? Part::Follow : Part::Once);
    }
  }
  Follower(const Follower&) = delete;
  ~Follower() { transport_.cancel(ticket_); }

 private:
  /// Which part of the log a stream is for.
  enum class Part {
    Once,      // without `follow`
    Follow,    // as the container writes it
    Rest,      // the end of a container that has ended
    Previous,  // the end of one that has been started again meanwhile
  };

  void open(Part part) {
    part_ = part;
    const bool resumes = !lines_.since().empty();
    const auto number = [](const std::optional<long>& value) {
      return value ? std::to_string(*value) : std::string();
    };
    const bool previous = part == Part::Previous || (part == Part::Once && request_.previous);
    const bool is_first_run = !resumes && !has_restarted_;
    const Query query = {{"container", request_.container},
                         {"timestamps", "true"},
                         {"follow", part == Part::Follow ? "true" : ""},
                         {"previous", previous ? "true" : ""},
                         {"sinceTime", lines_.since()},
                         {"tailLines", is_first_run ? number(request_.tail) : ""},
                         {"limitBytes", number(request_.bytes)},
                         {"sinceSeconds", is_first_run ? number(request_.since) : ""}};
    lines_.begin_again();
    has_lines_ = false;
    ticket_ = transport_.start(
        {.path = object_path(pods_resource(), request_.name_space, request_.pod, query, "log"),
         .accept = "*/*",
         .streams = true},
        [this](Answer& answer) { take_end(answer); },
        [this](std::string_view line) {
          reconnection_.works();
          lines_.take(line);
        });
  }

  void take_end(Answer& answer) {
    const auto error = error_of(answer);
    if (error && is_lost(*error)) return lost(*error, [this] { resume(); });
    reconnection_.works();
    if (part_ == Part::Follow) {
      // Without a container yet the server answers 400; the state of the pod says more.
      if (error && error->status != 400) return end(error);
      return ask_state();
    }
    // Only here the half of a line is the whole of it.
    if (!error && !answer.body.empty()) lines_.take(answer.body);
    if (part_ == Part::Once) return end(error);
    if (part_ == Part::Previous) return follow_next_run();
    rest_is_told_ = true;
    settle();
  }

  /// After a cut: what is missing of the same part.
  void resume() {
    if (part_ == Part::Follow) return ask_state();
    open(part_);
  }

  void ask_state() {
    ticket_ = transport_.start(get_call(pods_resource(), request_.name_space, request_.pod),
                               [this](Answer& answer) { take_state(answer); });
  }

  void take_state(Answer& answer) {
    if (const auto error = error_of(answer)) {
      if (is_lost(*error)) return lost(*error, [this] { ask_state(); });
      // A pod that was followed and is gone has no more to show.
      const bool is_told = error->is_not_found() && has_followed_;
      return end(is_told ? std::nullopt : error);
    }
    const JsonAnswer pod = JsonDocument::read(std::move(answer.body));
    if (pod == nullptr) return end(unreadable_answer());
    state_ = state_of(pod->root(), request_.container);
    if (!request_.restarts) request_.restarts = state_.restarts;
    settle();
  }

  /// What to do next, by the state of the container.
  void settle() {
    using Phase = ContainerState::Phase;
    if (state_.restarts > *request_.restarts) {
      if (lines_.since().empty()) return follow_next_run();
      return open(Part::Previous);
    }
    const bool was_quiet = std::exchange(has_followed_, true) && !has_lines_;
    if (state_.phase == Phase::Running) {
      if (!was_quiet) return open(Part::Follow);
      ticket_ = transport_.after(kPause, [this] { open(Part::Follow); });
      return;
    }
    if (state_.phase == Phase::Ended && !rest_is_told_) return open(Part::Rest);
    if (state_.is_final) return end(std::nullopt);
    ticket_ = transport_.after(kPause, [this] { ask_state(); });
  }

  void follow_next_run() {
    request_.restarts = state_.restarts;
    lines_.forget();
    rest_is_told_ = false;
    has_restarted_ = true;
    if (events_.restarted) events_.restarted(state_.restarts);
    settle();
  }

  static bool is_lost(const ApiError& error) {
    return error.trouble == Trouble::Lost || error.trouble == Trouble::TimedOut ||
           error.trouble == Trouble::NotReached || error.status >= 500 || error.status == 429;
  }

  void lost(const ApiError& error, std::function<void()> next) {
    const bool has_worked = has_followed_ || !lines_.since().empty();
    const auto pause = has_worked ? reconnection_.lost(sentence(error)) : std::nullopt;
    if (!pause) return end(error);
    ticket_ = transport_.after(*pause, std::move(next));
  }

  void end(const std::optional<ApiError>& error) {
    if (events_.ended) events_.ended(error, error ? std::nullopt : state_.exit_code);
  }

  Transport& transport_;
  LogRequest request_;
  LogEvents events_;
  Reconnection reconnection_;
  LogLines lines_;
  Part part_ = Part::Once;
  ContainerState state_;
  bool has_followed_ = false;   // the pod was there
  bool has_lines_ = false;      // the present stream had some that are new
  bool has_restarted_ = false;  // what is asked for at first no longer counts
  bool rest_is_told_ = false;   // of a container that has ended
  Transport::Ticket ticket_ = 0;
};

PodLog::PodLog(Transport& transport, LogRequest request, LogEvents events, Milliseconds reconnect)
    : follower_(std::make_unique<Follower>(transport, std::move(request), std::move(events),
                                           reconnect)) {}
PodLog::~PodLog() = default;

}  // namespace trainyard
