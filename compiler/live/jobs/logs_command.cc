#include <re2/re2.h>

#include <algorithm>
#include <deque>
#include <set>

#include "cluster/api/pod_log.h"
#include "cluster/api/watch.h"
#include "diag/foreign_text.h"
#include "diag/words.h"
#include "diagnosis/pod_rank.h"
#include "live/jobs/follow_job.h"
#include "live/jobs/job_command.h"
#include "live/jobs/rank_set.h"
#include "live/live_command.h"
#include "live/live_exit.h"
#include "live/terminal.h"
#include "live/time_word.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr std::string_view kNoColour = "\x1b[0m";

/// Of which pods and containers logs are wanted, and how they are shown.
struct LogChoice {
  RankSet ranks;
  std::string role;
  std::string container;
  LogRequest request;
  bool timestamps = false;
  bool mask = false;
  bool colour = false;
  const RE2* grep = nullptr;
};

/// Of the pods of a job, those that are wanted; each is followed as soon as it is there.
class LogPrinter {
 public:
  LogPrinter(Transport& transport, const LiveJob& job, const LogChoice& choice)
      : transport_(transport), kind_(*job.kind), choice_(choice) {}

  /// A pod that runs, has run or may run; seen again it costs nothing.
  void see(View pod) {
    const PodRank place = rank_of(pod, kind_);
    if (!is_wanted(place)) return;
    wanted_.insert(std::string(string_at(get(pod, "metadata"), "uid")));
    const View status = get(pod, "status");
    const std::string container = container_of(pod);
    for (const View each : items_at(status, "containerStatuses")) {
      if (string_at(each, "name") == container && has_log(each))
        follow(pod, container, each, place);
    }
  }

  bool is_idle() const { return open_ == 0; }
  std::size_t pods() const { return wanted_.size(); }
  std::size_t logs() const { return logs_.size(); }
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  bool is_wanted(const PodRank& place) const {
    if (!choice_.role.empty() && place.role != choice_.role) return false;
    return choice_.ranks.has(place.index.value_or(0));
  }

  /// The first is that of the training: what a template adds comes behind it.
  std::string container_of(View pod) const {
    if (!choice_.container.empty()) return choice_.container;
    const View first = first_item(get(get(pod, "spec"), "containers"));
    return std::string(string_at(first, "name"));
  }

  static View first_item(View list) { return list ? list.first() : View(); }

  static bool has_log(View status) {
    const View state = get(status, "state");
    return get(state, "running") || get(state, "terminated") ||
           get(get(status, "lastState"), "terminated");
  }

  void follow(View pod, const std::string& container, View status, const PodRank& place) {
    const View metadata = get(pod, "metadata");
    if (!begun_.insert(std::string(string_at(metadata, "uid"))).second) return;
    LogRequest request = choice_.request;
    request.name_space = string_at(metadata, "namespace");
    request.pod = string_at(metadata, "name");
    request.container = container;
    request.restarts = integer_at(status, "restartCount");
    std::string prefix = prefix_of(request.pod, place);
    ++open_;
    const std::string name = request.pod;
    logs_.push_back(std::make_unique<PodLog>(
        transport_, std::move(request),
        LogEvents{.line = [this, prefix](std::string_view time,
                                         std::string_view text) { print(prefix, time, text); },
                  .restarted =
                      [prefix](long restarts) {
                        say_now(prefix + "starts again, after restart " + std::to_string(restarts));
                      },
                  .troubled =
                      [prefix](const std::string& problem) {
                        say_now(prefix +
                                (problem.empty() ? "connected again" : foreign_text(problem)));
                      },
                  .ended =
                      [this, name](const std::optional<ApiError>& error, std::optional<long>) {
                        --open_;
                        if (error) problems_.push_back(name + ": " + sentence(*error));
                      }}));
  }

  std::string prefix_of(const std::string& pod, const PodRank& place) {
    if (choice_.ranks.is_one()) return {};
    std::string text = "[" + foreign_text(pod);
    if (place.index)
      text = "[" + (place.role.empty() ? "" : foreign_text(place.role) + " ") +
             std::to_string(*place.index);
    text += "] ";
    if (!choice_.colour) return text;
    const auto number = 31 + colours_++ % 6;
    return "\x1b[" + std::to_string(number) + "m" + text + std::string(kNoColour);
  }

  /// The user's own words, as they are: `--mask` is for what is passed on.
  void print(const std::string& prefix, std::string_view time, std::string_view text) const {
    if (choice_.grep != nullptr && !RE2::PartialMatch(text, *choice_.grep)) return;
    std::string line = prefix;
    if (choice_.timestamps) line += std::string(time) + " ";
    line += choice_.mask ? foreign_lines(text) : std::string(text);
    line += "\n";
    print_now(line);
    if (choice_.request.follow) flush_output();
  }

  Transport& transport_;
  const JobKind& kind_;
  const LogChoice& choice_;
  std::deque<std::unique_ptr<PodLog>> logs_;
  std::set<std::string> wanted_;  // UIDs of pods
  std::set<std::string> begun_;
  std::vector<std::string> problems_;
  std::size_t open_ = 0;
  unsigned colours_ = 0;
};

class LogsCommand : public JobCommand {
 public:
  using JobCommand::JobCommand;

  std::string_view name() const override { return "logs"; }
  std::string_view summary() const override { return "Print the logs of a job"; }
  std::string_view description() const override {
    return "Rank 0 without options. Followed, it goes on over restarts, new pods and a connection "
           "that is lost, and each line comes once; it ends when the job does, with 5 when that "
           "failed. Several ranks are told apart by what stands before their lines.";
  }
  std::vector<Example> examples() const override {
    return {{"trainyard logs llama -f", "Follow rank 0 until the job ends."},
            {"trainyard logs llama --all --since 10m --grep 'NCCL|Xid'",
             "What all ranks said of the network within ten minutes."},
            {"trainyard logs llama --rank 3 --previous", "Rank 3 before its last restart."}};
  }

  Arguments arguments() override {
    Arguments rows;
    add_job_arguments(rows, true);
    rows.push_back({.name = "all", .help = "All ranks", .into = &all_});
    rows.push_back(
        {.name = "rank", .value = "RANKS", .help = "Some ranks: `0`, `0,3-5`", .into = &ranks_});
    rows.push_back({.name = "role",
                    .value = "ROLE",
                    .help = "The pods of one role, such as `worker`",
                    .into = &choice_.role});
    rows.push_back({.name = "container",
                    .value = "NAME",
                    .help = "This container; the first without it",
                    .into = &choice_.container});
    rows.push_back({.name = "follow",
                    .letter = 'f',
                    .help = "Go on until the job ends",
                    .into = &choice_.request.follow});
    rows.push_back({.name = "since",
                    .value = "TIME",
                    .help = "Lines of this time, such as `10m`",
                    .into = &since_});
    rows.push_back({.name = "tail", .value = "LINES", .help = "The last lines", .into = &tail_});
    rows.push_back({.name = "previous",
                    .help = "The container before its last restart",
                    .into = &choice_.request.previous});
    rows.push_back({.name = "timestamps",
                    .help = "The time of each line before it",
                    .into = &choice_.timestamps});
    rows.push_back({.name = "grep",
                    .value = "PATTERN",
                    .help = "Lines that a pattern (RE2) fits",
                    .into = &grep_});
    rows.push_back({.name = "mask",
                    .help = "Mask what looks like a credential, for logs that are passed on",
                    .into = &choice_.mask});
    return rows;
  }

  ExitCode run(Io& io) override {
    if (const ExitCode code = read_options(io); code != ExitCode::Good) return code;
    std::unique_ptr<RE2> pattern;
    if (!grep_.empty()) {
      pattern = std::make_unique<RE2>(grep_, RE2::Quiet);
      if (!pattern->ok()) return wrong_call(io, "`--grep` is no pattern: " + pattern->error());
      choice_.grep = pattern.get();
    }
    const Looked looked = look(io, Around::Everything, true);
    if (!looked.is_there()) return looked.code;
    return choice_.request.follow ? follow(io, looked) : print(io, looked);
  }

 private:
  ExitCode read_options(Io& io) {
    const auto ranks = all_ ? std::optional(RankSet::all()) : RankSet::read(ranks_);
    if (!ranks) return wrong_call(io, "`--rank` is " + shown(ranks_) + "; expected `0` or `0,3-5`");
    choice_.ranks = *ranks;
    choice_.colour = io.colour;
    if (!since_.empty()) {
      const auto since = read_duration(since_);
      if (!since) return wrong_duration(io, "--since", since_);
      choice_.request.since = since->count() / 1000;
    }
    if (!tail_.empty()) {
      const auto lines = read_count(tail_);
      if (!lines) return wrong_call(io, "`--tail` is " + shown(tail_) + "; expected a number");
      choice_.request.tail = *lines;
    }
    return ExitCode::Good;
  }

  ExitCode print(Io& io, const Looked& looked) {
    const LiveJob& job = looked.found.jobs.front();
    LogPrinter printer(looked.transport(), job, choice_);
    for (const View pod : looked.found.dump.pods_of(job.object)) printer.see(pod);
    while (!printer.is_idle() && looked.transport().turn()) {
    }
    flush_output();
    if (looked.transport().interrupted()) return kInterrupted;
    for (const std::string& problem : printer.problems()) {
      io.err += "error: " + foreign_text(problem) + "\n";
    }
    if (!printer.problems().empty()) return kNotReached;
    if (printer.logs() == 0) return nothing_yet(io, job, printer.pods());
    return ExitCode::Good;
  }

  /// An empty answer would say that the program printed nothing.
  static ExitCode nothing_yet(Io& io, const LiveJob& job, std::size_t pods) {
    const JobState state = judge_status(*job.kind, job.object);
    io.err += "error: " + foreign_text(job.heading()) + " is " + std::string(name_of(state.phase)) +
              (pods == 0 ? ", and has no such pod" : ", and no such container has begun") +
              "\n   = help: `trainyard diagnose " + foreign_text(job.name()) +
              "` says what keeps it; `-f` waits for it\n";
    return kNoSuchJob;
  }

  ExitCode follow(Io& io, const Looked& looked) {
    const LiveJob& job = looked.found.jobs.front();
    Transport& transport = looked.transport();
    LogPrinter printer(transport, job, choice_);
    std::optional<JobNews> last;
    const auto troubled = [](const std::string& problem) {
      if (!problem.empty()) say_now(foreign_text(problem));
    };
    JobFollower follower(
        transport, job, looked.name_space,
        [&last](const JobNews& news) {
          if (news.gone || news.refused || is_final(news.state.phase)) last = news;
        },
        troubled);
    std::vector<std::unique_ptr<Watch>> watches;
    for (const PodMarks& marks : job.kind->pods) {
      watches.push_back(std::make_unique<Watch>(
          transport, Selection{pods_resource(), looked.name_space, selector_of(marks, job), ""},
          WatchEvents{.changed = [&printer](View pod, const JsonAnswer&) { printer.see(pod); },
                      .deleted = [](const std::string&, const std::string&, View) {},
                      .synced = [] {},
                      .troubled = [](const std::string&) {},
                      .ended = [](const ApiError&) {}}));
    }
    while (!(last && printer.is_idle()) && transport.turn()) {
    }
    flush_output();
    if (transport.interrupted()) {
      io.err += foreign_text(job.heading()) + " is not touched\n";
      return kInterrupted;
    }
    return code_of(io, looked, last);
  }

  static ExitCode code_of(Io& io, const Looked& looked, const std::optional<JobNews>& last) {
    if (!last) return kNotReached;
    if (last->refused) return tell(io, *looked.cluster, *last->refused);
    const JobPhase phase = last->state.phase;
    if (phase == JobPhase::Succeeded) return ExitCode::Good;
    if (phase == JobPhase::Failed) {
      io.err += "the job failed; `trainyard diagnose " +
                foreign_text(looked.found.jobs.front().name()) + "` says why\n";
      return kJobFailed;
    }
    return kNoSuchJob;
  }

  static std::string selector_of(const PodMarks& marks, const LiveJob& job) {
    std::string selector;
    for (const PodMarks::Label& label : marks.labels) {
      selector += (selector.empty() ? "" : ",") + std::string(label.key) + "=" +
                  filled_in(label.value, job.object);
    }
    return selector;
  }

  bool all_ = false;
  std::string ranks_ = "0";
  std::string since_;
  std::string tail_;
  std::string grep_;
  LogChoice choice_;
};

}  // namespace

std::unique_ptr<Command> logs_command(LocalMachine& machine) {
  return std::make_unique<LogsCommand>(machine);
}

}  // namespace trainyard
