#include <algorithm>

#include "cli/job_reports.h"
#include "diag/foreign_text.h"
#include "diag/words.h"
#include "live/jobs/failed_logs.h"
#include "live/jobs/job_command.h"
#include "live/jobs/watched_jobs.h"
#include "live/live_command.h"
#include "live/live_exit.h"
#include "live/terminal.h"
#include "live/time_word.h"

namespace trainyard {
namespace {

constexpr Milliseconds kTogether{1'000};  // what changes within this time is shown at once

/// What was found, in the form in which a dump is.
DiagnosedDump dump_of(LiveJobs& found) {
  DiagnosedDump dump;
  for (const LiveJob& job : found.jobs) dump.read.jobs.push_back(job.object);
  dump.read.dump = std::move(found.dump);
  return dump;
}

class StatusLiveCommand : public JobCommand {
 public:
  using JobCommand::JobCommand;

  std::string_view name() const override { return "status"; }
  std::string_view summary() const override {
    return "Show how far jobs on a cluster are, and what they wait for";
  }
  std::string_view description() const override {
    return "One line for each job of a namespace; of one job its queue, its pods with ranks, nodes "
           "and states, the last events, and what `diagnose` says first. A job runs when all its "
           "pods do.\n\n"
           "Ends with 5 if the job that is asked for has failed, and with 6 if it is not there.";
  }
  std::vector<Example> examples() const override {
    return {{"trainyard status -n ml", "All jobs of a namespace."},
            {"trainyard status job.yaml --watch", "One job, again whenever something changes."}};
  }

  Arguments arguments() override {
    Arguments rows;
    add_job_arguments(rows, false);
    add_runai_argument(rows);
    rows.push_back({.name = "watch",
                    .letter = 'w',
                    .help = "Show it again whenever something changes, until the job has ended",
                    .into = &watch_});
    rows.push_back(output_argument());
    return rows;
  }

  ExitCode run(Io& io) override {
    Looked looked = look(io, watch_ ? Around::Nothing : Around::Everything, false);
    if (!looked.is_there()) return looked.code;
    if (watch_ && looked.cluster->is_runai()) {
      return wrong_call(io, "the API of Run:ai has no watch: `trainyard wait` follows a job");
    }
    return watch_ ? watch(io, looked) : report(io, looked);
  }

 private:
  ExitCode report(Io& io, Looked& looked) {
    Session session(io.env);
    prepare(session, options());
    DiagnosedDump dump = dump_of(looked.found);
    diagnose_jobs(session, {}, dump);
    phases_.clear();
    for (const Diagnosis& each : dump.jobs) phases_.push_back(each.status.state.phase);
    return report_status(io, session, dump,
                         {.newest = time_now(),
                          .one_job = !job_.empty(),
                          .one_namespace = !looked.name_space.empty(),
                          .diagnose = diagnose_call(looked)});
  }

  static std::string diagnose_call(const Looked& looked) {
    std::string call = "trainyard diagnose";
    if (!looked.name_space.empty()) call += " -n " + looked.name_space;
    if (looked.cluster->is_runai()) {
      call += " --runai " + looked.cluster->connection().endpoint.server;
    }
    return call;
  }

  ExitCode watch(Io& io, Looked& looked) {
    show(io);  // what may not be read
    WatchedJobs watched(looked.transport(), *looked.discovery, kinds(), looked.name_space,
                        looked.name, kinds_to_watch(looked), [](const std::string& problem) {
                          say_now(problem.empty() ? "connected again" : foreign_text(problem));
                        });
    unsigned seen = 0;
    std::string before;
    std::size_t told = 0;
    while (wait_for_change(looked.transport(), watched, seen)) {
      looked.found = watched.now();
      for (; told < looked.found.notes.size(); ++told) {
        say_now("note: " + foreign_text(looked.found.notes[told]));
      }
      if (!job_.empty() && looked.found.jobs.empty()) return gone(io, looked);
      const ExitCode code = report(io, looked);
      if (is_over()) return code;
      if (io.out == before) io.out.clear();
      if (!io.out.empty()) before = io.out;
      show(io);
    }
    const bool is_interrupted = looked.transport().interrupted();
    return tell(io, *looked.cluster, is_interrupted ? interruption() : *watched.error());
  }

  LookedKinds kinds_to_watch(const Looked& looked) const {
    LookedKinds kinds;
    std::vector<View> jobs;
    for (const LiveJob& job : looked.found.jobs) {
      jobs.push_back(job.object);
      if (std::ranges::find(kinds, job.resource) == kinds.end()) kinds.push_back(job.resource);
    }
    if (job_.empty()) kinds = job_kinds(this->kinds(), *looked.discovery, looked.name);
    for (const LookedKinds& more : {kinds_around(this->kinds(), *looked.discovery, jobs, kinds),
                                    claim_kind(*looked.discovery)}) {
      kinds.insert(kinds.end(), more.begin(), more.end());
    }
    return kinds;
  }

  /// False when the user interrupts or the connection stays lost.
  static bool wait_for_change(Transport& transport, const WatchedJobs& watched, unsigned& seen) {
    bool is_time = seen == 0;
    const Transport::Ticket timer = transport.after(kTogether, [&is_time] { is_time = true; });
    while (!watched.error() && !transport.interrupted() &&
           !(is_time && watched.is_complete() && watched.changes() != seen)) {
      transport.turn();
    }
    transport.cancel(timer);
    seen = watched.changes();
    return !watched.error() && !transport.interrupted();
  }

  static ExitCode gone(Io& io, const Looked& looked) {
    io.err += "error: job " + shown(looked.name.name) + " is gone, and was not at its end\n";
    return kNoSuchJob;
  }

  bool is_over() const {
    if (job_.empty()) return false;
    return std::ranges::all_of(phases_, [](JobPhase phase) { return is_final(phase); });
  }

  /// What is buffered for the end of the command is for now.
  static void show(Io& io) {
    if (!io.err.empty()) say_now(std::string_view(io.err).substr(0, io.err.size() - 1));
    if (!io.out.empty()) print_now(io.out + "\n");
    flush_output();
    io.out.clear();
    io.err.clear();
  }

  bool watch_ = false;
  std::vector<JobPhase> phases_;
};

class DiagnoseLiveCommand : public JobCommand {
 public:
  using JobCommand::JobCommand;

  std::string_view name() const override { return "diagnose"; }
  std::string_view summary() const override {
    return "Show why a job on a cluster fails or waits, and what to do";
  }
  std::string_view description() const override {
    return "Looks at the job, its pods and their last lines, its events, nodes and claims, and at "
           "what holds it for a queue. Says how far the job is, and what keeps it or ended it, the "
           "cause first. With a spec as JOB, or with `--spec`, a finding names the line that it is "
           "about.\n\n"
           "Ends with 6 if the job that is asked for is not there.";
  }
  std::vector<Example> examples() const override {
    return {{"trainyard diagnose llama", "One job."},
            {"trainyard diagnose job.yaml", "The job of a spec, with the lines to change."}};
  }

  Arguments arguments() override {
    Arguments rows;
    add_job_arguments(rows, false);
    add_runai_argument(rows);
    rows.push_back({.name = "no-logs", .help = "Do not read logs", .into = &no_logs_});
    rows.push_back({.name = "spec",
                    .value = "FILE",
                    .help = "The spec of the job: findings name its lines",
                    .kind = ValueKind::File,
                    .into = &request_.spec});
    rows.push_back(target_argument(request_.target));
    rows.push_back(load_outside_argument());
    rows.push_back(output_argument());
    return rows;
  }

  ExitCode run(Io& io) override {
    Looked looked = look(io, Around::Everything, false);
    if (!looked.is_there()) return looked.code;
    Session session(io.env);
    prepare(session, options());
    DiagnosedDump dump = dump_of(looked.found);
    if (!no_logs_ && !job_.empty() && !looked.cluster->is_runai()) {
      for (const View job : dump.read.jobs) {
        LastWords words =
            last_words(looked.transport(), looked.name_space, dump.read.dump.pods_of(job));
        for (std::string& text : words.said) dump.read.logs.push_back(std::move(text));
        for (const std::string& problem : words.problems) {
          io.err += "note: the log of " + foreign_text(problem) + "\n";
        }
      }
      if (looked.transport().interrupted()) return tell(io, *looked.cluster, interruption());
    }
    if (request_.spec.empty() && names_a_file(job_)) request_.spec = job_;
    request_.cluster = cluster_choice().path;
    diagnose_jobs(session, request_, dump);
    return report_diagnosis(io, session, dump, !job_.empty());
  }

 private:
  bool no_logs_ = false;
  DiagnoseRequest request_;
};

}  // namespace

std::unique_ptr<Command> live_status_command(LocalMachine& machine) {
  return std::make_unique<StatusLiveCommand>(machine);
}

std::unique_ptr<Command> live_diagnose_command(LocalMachine& machine) {
  return std::make_unique<DiagnoseLiveCommand>(machine);
}

}  // namespace trainyard
