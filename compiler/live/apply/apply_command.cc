#include "diag/foreign_text.h"
#include "live/apply/after_apply.h"
#include "live/apply/plan_text.h"
#include "live/apply/planning_command.h"
#include "live/apply/write_plan.h"
#include "live/live_command.h"
#include "live/live_exit.h"
#include "live/terminal.h"

namespace trainyard {
namespace {

class ApplyCommand : public PlanningCommand {
 public:
  using PlanningCommand::PlanningCommand;

  std::string_view name() const override { return "apply"; }
  std::string_view summary() const override {
    return "Put the objects of specs or manifests on a cluster";
  }
  std::string_view description() const override {
    return "Makes the plan that `plan` shows, and carries it out by server-side apply: the field "
           "manager is `trainyard`, and nothing is forced. Before the first write, the API server "
           "has tried every object as a dry run.\n\n"
           "What runs is not stopped by accident: `--replace` and `--yes` say that it may be. A "
           "ConfigMap `trainyard-NAME` records what was applied, so that what a spec no longer "
           "asks for is removed by the next run. `--unit` records all rendered files of a team of "
           "a "
           "Fleet as one group. Manifests alone have no record. After an end in between, the same "
           "command "
           "finishes.\n\n"
           "`--wait` follows the jobs afterwards and ends with the codes of `wait`; `--logs` "
           "prints "
           "the log of rank 0 meanwhile. Ctrl-C leaves the job alone.";
  }
  std::vector<Example> examples() const override {
    return {{"trainyard apply job.yaml", "Start one job on the cluster of the current context."},
            {"trainyard apply job.yaml --logs",
             "The same, with its log until it ends; the exit code is 5 if it fails."},
            {"trainyard apply job.yaml --replace",
             "Stop the job that runs, and start it again with what has changed."},
            {"trainyard apply cluster.yaml", "Make the queues and classes of a cluster."},
            {"trainyard apply fleet.yaml --unit gke/nlp",
             "Apply what `render` wrote for a team, and delete the jobs that left it."}};
  }

  Arguments arguments() override {
    Arguments rows;
    add_planning_arguments(rows);
    rows.push_back({.name = "replace",
                    .help = "Delete and make again what cannot be changed; asks before a job ends",
                    .into = &replace_});
    rows.push_back({.name = "yes", .help = "Do not ask; for scripts", .into = &yes_});
    rows.push_back({.name = "force-conflicts",
                    .help = "Take over fields that another manager has",
                    .into = &force_});
    rows.push_back({.name = "no-prune",
                    .help = "Keep what was applied before and is no longer asked for",
                    .into = &no_prune_});
    after_.add_arguments(rows);
    return rows;
  }

  ExitCode run(Io& io) override {
    if (const ExitCode code = after_.read_options(io); code != ExitCode::Good) return code;
    Planned planned = make(io, force_, !no_prune_);
    if (!planned.is_there()) return planned.code;
    if (planned.cluster->is_runai() && after_.prints_logs()) {
      return wrong_call(io, "the API of Run:ai gives no logs: use `--wait`");
    }
    const ClusterPlan& plan = planned.made.plan;
    if (const ExitCode code = after_.has_jobs(io, plan); code != ExitCode::Good) return code;
    if (const ExitCode code = may_write(io, planned); code != ExitCode::Good) return code;
    tell_waits(planned);
    std::string lines;
    const Written written =
        write(planned, [&lines](const std::string& line) { lines += foreign_text(line) + "\n"; });
    if (written.error || written.timed_out) return told_unfinished(io, planned, written, lines);
    return io.reports() ? report(io, planned) : show_done(io, planned, lines);
  }

 protected:
  bool writes() const override { return true; }

 private:
  Written write(Planned& planned, const std::function<void(const std::string&)>& tell) const {
    Transport& transport = planned.cluster->transport();
    if (planned.cluster->is_runai()) {
      return write_runai_plan(transport, planned.made.plan, planned.orders, tell);
    }
    return write_plan(transport, planned.sets, planned.made, {.force = force_, .prune = !no_prune_},
                      tell);
  }

  ExitCode report(Io& io, const Planned& planned) {
    const ClusterPlan& plan = planned.made.plan;
    std::string members = "\"objects\": " + plan_json(plan);
    Waited waited;
    if (after_.waits()) {
      waited = after_.follow(io, *planned.cluster, planned.discovery, plan);
      members += ",\n  " + jobs_json(plan, waited);
    }
    const ExitCode code = finish(io, *planned.session, members);
    return waited.code == ExitCode::Good ? code : waited.code;
  }

  ExitCode show_done(Io& io, const Planned& planned, const std::string& lines) {
    const ClusterPlan& plan = planned.made.plan;
    finish(io, *planned.session);
    io.out += lines + plan_summary(plan) + ": done\n";
    if (after_.waits()) return after_.follow(io, *planned.cluster, planned.discovery, plan).code;
    io.out += what_next(planned);
    return ExitCode::Good;
  }

  /// A wait of minutes without a word looks like a hang.
  static void tell_waits(const Planned& planned) {
    for (const PlannedObject& object : planned.made.plan.objects) {
      if (!object.awaits_end) continue;
      say_now(foreign_text(object.kind + "/" + object.name) +
              " is being deleted: waiting until it is gone");
    }
  }

  /// Good when nothing stands in the way of the writes.
  ExitCode may_write(Io& io, const Planned& planned) {
    const ClusterPlan& plan = planned.made.plan;
    if (plan.has(Action::Refused)) {
      return stop(io, planned, plan.code_of_refusal(), refusal_summary(plan),
                  "what stands beside `x` above says why");
    }
    if (plan.has(Action::Foreign)) {
      return stop(io, planned, kNotDone, "another tool keeps this, and would undo the change",
                  "change it where that tool reads it");
    }
    if (plan.has(Action::Conflict)) {
      return stop(io, planned, kNotDone, conflict_summary(plan),
                  "leave the fields out of the spec, or let the other manager give them up, or "
                  "`--force-conflicts` takes them over");
    }
    if (plan.has(Action::Replace) && !replace_) {
      return stop(io, planned, kNotDone, "this cannot be changed where it is",
                  "`--replace` deletes it and makes it again; another `metadata.name` starts a "
                  "second job beside it");
    }
    return may_end_jobs(io, planned);
  }

  ExitCode may_end_jobs(Io& io, const Planned& planned) {
    std::string ends;
    for (const PlannedObject& object : planned.made.plan.objects) {
      if (!object.runs || !ends_pods(object.action)) continue;
      ends += (ends.empty() ? "" : ", ") + object.kind + "/" + object.name +
              (object.since.empty() ? "" : " (since " + object.since + ")");
    }
    if (ends.empty() || yes_) return ExitCode::Good;
    if (!machine().terminal) {
      return stop(io, planned, kNotDone, "this ends what runs: " + ends, "`--yes` agrees to it");
    }
    if (agrees("This ends what runs: " + foreign_text(ends) + ". Go on?", machine().interrupt))
      return ExitCode::Good;
    io.err += "nothing was written\n";
    return is_interrupted(machine().interrupt) ? kInterrupted : kNotDone;
  }

  ExitCode stop(Io& io, const Planned& planned, ExitCode code, const std::string& why,
                const std::string& advice) {
    if (io.reports()) {
      finish(
          io, *planned.session,
          "\"objects\": " + plan_json(planned.made.plan) + ",\n  " + json_member("stopped", why));
      return code;
    }
    finish(io, *planned.session);
    show(io, planned);
    io.out += " Nothing was written.\n";
    io.err += "error: " + foreign_text(why) + "\n   = help: " + advice + "\n";
    return code;
  }

  static ExitCode told_unfinished(Io& io, const Planned& planned, const Written& written,
                                  const std::string& lines) {
    io.out += lines;
    tell_stopped(io, written.at, written.left);
    if (written.timed_out) {
      io.err +=
          "   = note: it is still there after the request to delete it; a finalizer or a lost "
          "node may hold it\n";
      return kTimedOut;
    }
    return tell(io, *planned.cluster, *written.error);
  }

  /// What people do next.
  static std::string what_next(const Planned& planned) {
    for (const WantedSet& set : planned.sets) {
      if (set.name.empty() || set.name_space.empty()) continue;
      const std::string status =
          "next: " + planned.cluster->call("status", set.is_unit ? "" : set.name, set.name_space) +
          "\n";
      if (planned.cluster->is_runai() || set.is_unit) return status;
      return status + "      " + planned.cluster->call("logs", set.name, set.name_space) + " -f\n";
    }
    return {};
  }

  bool replace_ = false;
  bool yes_ = false;
  bool force_ = false;
  bool no_prune_ = false;
  AfterApply after_;
};

}  // namespace

std::unique_ptr<Command> apply_command(LocalMachine& machine) {
  return std::make_unique<ApplyCommand>(machine);
}

}  // namespace trainyard
