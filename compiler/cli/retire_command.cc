#include "driver/fleet/retire.h"

#include "cel/times.h"
#include "cli/fleet_commands.h"
#include "diag/words.h"
#include "spec/duration.h"

namespace trainyard {
namespace {

std::string members_of(const RetireResult& result) {
  std::string specs;
  for (const RetiredSpec& each : result.specs) {
    specs += (specs.empty() ? "" : ",\n    ") + std::string("{\"from\": ") + quoted(each.from) +
             ", \"to\": " + quoted(each.to) + ", \"jobs\": " + quoted(each.jobs) + "}";
  }
  std::string told;
  for (const std::string& each : result.told) told += (told.empty() ? "" : ", ") + quoted(each);
  const std::string now =
      result.counted_from.empty() ? "" : ",\n  \"now\": " + quoted(result.counted_from);
  return "\"specs\": [" + specs + "],\n  \"told\": [" + told + "]" + now;
}

class RetireCommand : public Command {
 public:
  std::string_view name() const override { return "retire"; }
  std::string_view summary() const override {
    return "Move specs whose jobs have ended out of a fleet";
  }
  std::string_view description() const override {
    return "Finds in what `kubectl get -o yaml` printed which jobs of a fleet have succeeded, and "
           "says which specs can go. `--write` moves them into the folder `specs-done`, as deep as "
           "they were, so that their relative paths hold. After `trainyard render` and a commit, "
           "Argo CD or Flux deletes the jobs; claims stay.\n\n"
           "A spec stays if the dump lacks one of its jobs, if one has not ended or is a step of a "
           "chain, or if another cluster has it, too. `--older-than` counts from the newest time "
           "in "
           "the dump, or from `--now`. The tree must be up to date: else a spec that was edited "
           "would go before it has run.";
  }
  std::vector<Example> examples() const override {
    return {
        {"kubectl get jobs,trainjobs,pytorchjobs -A -o yaml | trainyard retire --live -",
         "Which specs can go."},
        {"trainyard retire --live dump.yaml --older-than 7d", "Leave the jobs of the last week."},
        {"trainyard retire --live dump.yaml --cluster gke --failed --write",
         "Move them, those of failed jobs too."}};
  }

  Arguments arguments() override {
    Arguments rows = {
        fleet_argument(request_.fleet),
        live_argument(request_.live),
        {.name = "cluster",
         .letter = 'c',
         .value = "CLUSTER",
         .help = "The cluster of the fleet that the dump is of; needed where there are several",
         .into = &request_.cluster},
        {.name = "failed", .help = "Jobs that have failed count, too", .into = &request_.failed},
        {.name = "older-than",
         .value = "TIME",
         .help = "Only jobs that ended that long ago, such as `12h` or `7d`",
         .into = &older_than_},
        {.name = "now",
         .value = "TIME",
         .help = "What `--older-than` counts from; default is the newest time in the dump",
         .into = &request_.now},
        {.name = "to",
         .value = "FOLDER",
         .help = "Where specs go, below the folder of the fleet; default `specs-done`",
         .kind = ValueKind::Directory,
         .into = &request_.to},
        {.name = "write", .help = "Move the specs", .into = &request_.write},
        lock_argument(options_.lock),
        no_lock_argument(options_.no_lock),
        locked_argument(options_.locked)};
    add_reading_arguments(rows, options_, jobs_);
    return rows;
  }

  ExitCode run(Io& io) override {
    if (request_.live.empty()) return wrong_call(io, "`retire` needs `--live DUMP`");
    if (const std::string wrong = wrong_locks(options_); !wrong.empty()) {
      return wrong_call(io, wrong);
    }
    if (const std::string wrong = take_age(); !wrong.empty()) return wrong_call(io, wrong);
    const auto workers = thread_count(jobs_);
    if (!workers) return wrong_thread_count(io, jobs_);
    request_.workers = *workers;
    request_.fleet = fleet_file(io.env, request_.fleet);
    Session session(io.env);
    prepare_fleet(session, options_, request_.fleet, request_.target);
    RetireResult result;
    if (!session.sink.has_errors()) result = retire(session, request_);
    const ExitCode code = finish(io, session, members_of(result));
    if (io.reports() || code != ExitCode::Good) return code;
    for (const RetiredSpec& each : result.specs) {
      io.out +=
          (request_.write ? "moved " : "") + each.from + " to " + each.to + ": " + each.jobs + "\n";
    }
    for (const std::string& each : result.told) io.err += each + "\n";
    if (!result.counted_from.empty()) {
      io.err +=
          "ages count from " + result.counted_from +
          (request_.now.empty() ? ", the newest time in the dump; `--now` sets another\n" : "\n");
    }
    if (result.specs.empty()) io.err += "no spec can go\n";
    if (result.specs.empty() || request_.write) return code;
    io.err += "nothing is moved; `--write` moves the specs\n";
    return code;
  }

 private:
  /// What is wrong with the times of the call.
  std::string take_age() {
    if (older_than_.empty()) {
      return request_.now.empty() ? "" : "`--now` is for `--older-than`";
    }
    const auto age = parse_duration(older_than_);
    if (!age) {
      return "`--older-than` is " + shown(older_than_) + "; expected a time such as `12h` or `7d`";
    }
    if (!request_.now.empty() && !cel::parse_timestamp(request_.now)) {
      return "`--now` is " + shown(request_.now) +
             "; expected a time such as `2026-11-26T21:00:00Z`";
    }
    request_.older_than = *age;
    return {};
  }

  RetireRequest request_;
  std::string older_than_;
  std::string jobs_ = "0";
  SessionOptions options_;
};

}  // namespace

std::unique_ptr<Command> retire_command() {
  return std::make_unique<RetireCommand>();
}

}  // namespace trainyard
