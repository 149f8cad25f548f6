#include <span>
#include <utility>

#include "cluster/api/api_paths.h"
#include "cluster/api/calls.h"
#include "diag/foreign_text.h"
#include "diag/words.h"
#include "effective/status.h"
#include "live/applied_set.h"
#include "live/jobs/job_command.h"
#include "live/live_command.h"
#include "live/live_exit.h"
#include "live/runai/runai_jobs.h"
#include "live/terminal.h"
#include "live/wait_gone.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// `{"spec":{"runPolicy":{"suspend":true}}}` for `spec.runPolicy.suspend`.
std::string suspend_patch(std::string_view path, bool value) {
  std::string patch = value ? "true" : "false";
  while (!path.empty()) {
    const std::size_t dot = path.rfind('.');
    const std::string_view key = dot == std::string_view::npos ? path : path.substr(dot + 1);
    patch = "{\"" + std::string(key) + "\":" + patch + "}";
    path = dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
  }
  return patch;
}

/// Its pods end already.
bool is_being_deleted(const LiveJob& job) {
  return !string_at(get(job.object, "metadata"), "deletionTimestamp").empty();
}

/// Of Kueue: who sets `suspend` beside it takes its quota for a job that does not run.
std::string queue_of(const LiveJob& job) {
  return std::string(
      string_at(get(get(job.object, "metadata"), "labels"), "kueue.x-k8s.io/queue-name"));
}

/// What `cancel`, `resume` and `delete` share: one job, a question, one or several writes.
class StopCommand : public JobCommand {
 public:
  using JobCommand::JobCommand;

  Arguments arguments() override {
    Arguments rows;
    add_job_arguments(rows, true);
    add_runai_argument(rows);
    if (asks()) rows.push_back({.name = "yes", .help = "Do not ask; for scripts", .into = &yes_});
    return rows;
  }

  ExitCode run(Io& io) override {
    const Looked looked = look(io, Around::Nothing, true);
    if (looked.code == kNoSuchJob) return act_without_job(io, looked);
    if (!looked.is_there()) return looked.code;
    const LiveJob& job = looked.found.jobs.front();
    const JobState state = judge_status(*job.kind, job.object);
    const std::string question = question_about(job, state);
    if (asks() && !question.empty() && !yes_) {
      if (!machine().terminal) {
        io.err += "error: " + foreign_text(question) + "\n   = help: `--yes` agrees to it\n";
        return kNotDone;
      }
      if (!agrees(foreign_text(question) + " Go on?", machine().interrupt)) {
        io.err += "nothing was written\n";
        return is_interrupted(machine().interrupt) ? kInterrupted : kNotDone;
      }
    }
    return act(io, looked, job, state);
  }

 protected:
  bool writes() const override { return true; }
  virtual bool asks() const { return true; }
  /// "" where nothing of value ends.
  virtual std::string question_about(const LiveJob& job, const JobState& state) const = 0;
  virtual ExitCode act(Io& io, const Looked& looked, const LiveJob& job, const JobState& state) = 0;

  /// Where the job is not there, as `io` says by now.
  virtual ExitCode act_without_job(Io&, const Looked& looked) { return looked.code; }

  static std::string ending(const LiveJob& job, const JobState& state) {
    if (is_final(state.phase) || is_being_deleted(job)) return {};
    return job.heading() + " is " + std::string(name_of(state.phase)) +
           (state.since.empty() ? "" : " since " + state.since) + ", and its pods would end.";
  }

  static ExitCode send(Io& io, const Looked& looked, Request request, const std::string& done) {
    const bool deletes = request.method == Method::Delete;
    const Answer answer = looked.transport().send(std::move(request));
    const auto error = looked.cluster->error_in(answer);
    // What was being deleted may go between two requests.
    const bool is_gone = error && deletes && error->is_not_found();
    if (error && !is_gone) return tell_end(io, looked, *error);
    io.out += foreign_text(done) + (is_gone ? " (it had just gone)\n" : "\n");
    return ExitCode::Good;
  }

  static Request remove(const LiveJob& job, const Looked& looked) {
    if (looked.cluster->is_runai()) return runai_delete_call(runai_sort_of(job.object), job.uid());
    return delete_call(*job.resource, looked.name_space, job.name(), job.uid());
  }

  static Request suspend(const LiveJob& job, const Looked& looked, bool value) {
    if (looked.cluster->is_runai()) {
      return runai_verb_call(runai_sort_of(job.object), job.uid(), value ? "suspend" : "resume");
    }
    return merge_patch_call(*job.resource, looked.name_space, job.name(),
                            suspend_patch(job.kind->suspend, value));
  }

  static bool can_suspend(const LiveJob& job, const Looked& looked) {
    return looked.cluster->is_runai() || !job.kind->suspend.empty();
  }

  /// Why it does not come to its end; the same command finishes what has begun.
  static ExitCode tell_end(Io& io, const Looked& looked, const ApiError& error) {
    const ExitCode code = tell(io, *looked.cluster, error);
    if (looked.cluster->transport().writes().any && error.is_connection()) {
      io.err += "   = help: the same command goes on from here\n";
    }
    return code;
  }

 private:
  bool yes_ = false;
};

class CancelCommand : public StopCommand {
 public:
  using StopCommand::StopCommand;

  std::string_view name() const override { return "cancel"; }
  std::string_view summary() const override { return "Stop a job, and keep its objects"; }
  std::string_view description() const override {
    return "Suspends the job where its kind can be: its pods end, its status stays, and `resume` "
           "starts it again. A job that cannot be suspended, or that a queue holds, is deleted in "
           "the foreground: pods first. Services, files and claims stay.";
  }
  std::vector<Example> examples() const override {
    return {{"trainyard cancel llama", "Stop one job; asks before."},
            {"trainyard cancel job.yaml --yes", "The same in a script."}};
  }

 protected:
  std::string question_about(const LiveJob& job, const JobState& state) const override {
    return ending(job, state);
  }

  ExitCode act(Io& io, const Looked& looked, const LiveJob& job, const JobState& state) override {
    if (is_final(state.phase) || is_being_deleted(job)) {
      io.out += foreign_text(job.heading()) + " is " +
                (is_being_deleted(job) ? "being deleted" : std::string(name_of(state.phase))) +
                " already; nothing to stop\n";
      return ExitCode::Good;
    }
    const bool suspends = can_suspend(job, looked) && queue_of(job).empty();
    if (!suspends) return send(io, looked, remove(job, looked), "deleted " + job.heading());
    return send(io, looked, suspend(job, looked, true),
                "suspended " + job.heading() + "; `trainyard resume " + std::string(job.name()) +
                    "` starts it again");
  }
};

class ResumeCommand : public StopCommand {
 public:
  using StopCommand::StopCommand;

  std::string_view name() const override { return "resume"; }
  std::string_view summary() const override { return "Start a job that was suspended"; }
  std::string_view description() const override {
    return "Sets `suspend` to false. A job that a queue of Kueue holds is left to the queue: it "
           "starts when there is quota.";
  }
  std::vector<Example> examples() const override {
    return {{"trainyard resume llama", "Start it again from its last checkpoint."}};
  }

 protected:
  bool asks() const override { return false; }
  std::string question_about(const LiveJob&, const JobState&) const override { return {}; }

  ExitCode act(Io& io, const Looked& looked, const LiveJob& job, const JobState& state) override {
    if (is_being_deleted(job)) {
      io.err += "error: " + foreign_text(job.heading()) +
                " is being deleted\n   = help: `trainyard apply` makes it again once it is gone\n";
      return kNotDone;
    }
    const std::string queue = queue_of(job);
    if (!queue.empty()) {
      io.err += "error: " + foreign_text(job.heading()) + " waits in queue " + shown(queue) +
                ", which starts it\n   = help: `trainyard status " + std::string(job.name()) +
                "` says what it waits for\n";
      return kNotDone;
    }
    if (!can_suspend(job, looked)) {
      return wrong_input(io, "a " + std::string(job.kind->kind) +
                                 " cannot be suspended, so there is nothing to resume");
    }
    if (state.phase != JobPhase::Suspended) {
      io.out += foreign_text(job.heading()) + " is " + std::string(name_of(state.phase)) +
                ", not suspended\n";
      return ExitCode::Good;
    }
    return send(io, looked, suspend(job, looked, false), "resumed " + job.heading());
  }
};

class DeleteCommand : public StopCommand {
 public:
  using StopCommand::StopCommand;

  std::string_view name() const override { return "delete"; }
  std::string_view summary() const override {
    return "Delete a job and all that was applied with it";
  }
  std::string_view description() const override {
    return "Deletes the job in the foreground, then the other objects that `apply` recorded, then "
           "the record. An object that another client created again is kept, and so is a claim: it "
           "holds data. `--claims` deletes claims, too, and always asks for that.";
  }
  std::vector<Example> examples() const override {
    return {{"trainyard delete llama", "The job with its Services and files; its claims stay."}};
  }

  Arguments arguments() override {
    Arguments rows = StopCommand::arguments();
    rows.push_back({.name = "claims",
                    .help = "Delete its PersistentVolumeClaims, too, with the data in them",
                    .into = &claims_});
    return rows;
  }

 protected:
  std::string question_about(const LiveJob& job, const JobState& state) const override {
    return ending(job, state);
  }

  ExitCode act(Io& io, const Looked& looked, const LiveJob& job, const JobState&) override {
    if (claims_ && looked.cluster->is_runai()) {
      return wrong_call(io,
                        "`--claims` deletes what `apply` put on a cluster; with `--runai` it "
                        "puts nothing there but the workload");
    }
    ExitCode code = ExitCode::Good;
    const auto set = record_of(io, looked, job.name(), code);
    if (code != ExitCode::Good) return code;
    if (claims_ && !may_delete_claims(io, set)) return not_agreed();
    code = send(io, looked, remove(job, looked), "deleted " + job.heading());
    if (!set) return code;
    // What the job refers to goes after it: without its runtime a webhook refuses the last update
    // of a TrainJob, which then stays for ever (kubeflow/trainer pkg/webhooks/trainjob_webhook.go).
    if (code == ExitCode::Good) code = wait_for(io, looked, job);
    return code == ExitCode::Good ? remove_others(io, looked, *set, job.uid())
                                  : note_rest(io, *set, 0, job.uid(), code);
  }

  /// A run that was interrupted after the job was gone has left the record.
  ExitCode act_without_job(Io& io, const Looked& looked) override {
    const std::string no_job = std::exchange(io.err, {});
    ExitCode code = ExitCode::Good;
    const auto set = record_of(io, looked, looked.name.name, code);
    if (code != ExitCode::Good) return code;
    if (!set) {
      io.err = no_job;
      return looked.code;
    }
    if (claims_ && !may_delete_claims(io, set)) return not_agreed();
    return remove_others(io, looked, *set, "");
  }

 private:
  static ExitCode wait_for(Io& io, const Looked& looked, const LiveJob& job) {
    constexpr Milliseconds kMost{300'000};
    const WaitedForGone waited = wait_until_gone(looked.transport(), *job.resource,
                                                 looked.name_space, job.name(), job.uid(), kMost);
    if (waited.error) return tell_end(io, looked, *waited.error);
    if (!waited.timed_out) return ExitCode::Good;
    io.err +=
        "error: " + foreign_text(job.heading()) +
        " is still there after the request to delete it\n   = note: a finalizer or a lost node "
        "may hold it\n   = help: the same command goes on from here\n";
    return kTimedOut;
  }

  ExitCode not_agreed() { return is_interrupted(machine().interrupt) ? kInterrupted : kNotDone; }

  /// All of the record but the job, which has this UID, then the record.
  ExitCode remove_others(Io& io, const Looked& looked, const AppliedSet& set,
                         std::string_view job) const {
    bool keeps_claims = false;
    for (std::size_t i = 0; i < set.objects.size(); ++i) {
      const AppliedObject& object = set.objects[i];
      looked.transport().report_progress(i, set.objects.size(), "objects");
      if (!job.empty() && object.uid == job) continue;
      if (stays(object)) {
        keeps_claims = true;
        io.out += foreign_text("kept " + object.kind + "/" + object.name) + "\n";
        continue;
      }
      const ExitCode code = remove_object(io, looked, set, object);
      if (code != ExitCode::Good) return note_rest(io, set, i, job, code);
    }
    looked.transport().report_progress(set.objects.size(), set.objects.size(), "objects");
    if (keeps_claims) return ExitCode::Good;
    return send(
        io, looked,
        delete_call(config_maps_resource(), looked.name_space, applied_set_name(set.job), ""),
        "deleted the record of " + set.job);
  }

  bool stays(const AppliedObject& object) const {
    return object.kind == "PersistentVolumeClaim" && !claims_;
  }

  /// Where it has ended within: what is not deleted, from this object on.
  ExitCode note_rest(Io& io, const AppliedSet& set, std::size_t from, std::string_view job,
                     ExitCode code) const {
    std::vector<std::string> rest;
    for (const AppliedObject& object : std::span(set.objects).subspan(from)) {
      const bool is_job = !job.empty() && object.uid == job;
      if (!is_job && !stays(object)) rest.push_back(object.kind + "/" + object.name);
    }
    rest.push_back("ConfigMap/" + applied_set_name(set.job));
    io.err += "   = note: not deleted: " + foreign_text(listed(rest, "and")) + "\n";
    return code;
  }

  /// Nothing where there is none; an error is reported, and sets `code`.
  static std::optional<AppliedSet> record_of(Io& io, const Looked& looked, std::string_view job,
                                             ExitCode& code) {
    if (looked.cluster->is_runai()) return std::nullopt;  // a workload is all that was submitted
    Answer answer = looked.transport().send(
        get_call(config_maps_resource(), looked.name_space, applied_set_name(std::string(job))));
    if (const auto error = error_of(answer)) {
      if (!error->is_not_found()) code = tell(io, *looked.cluster, *error);
      return std::nullopt;
    }
    const JsonAnswer record = JsonDocument::read(std::move(answer.body));
    return record == nullptr ? std::nullopt : read_applied_set(record->root());
  }

  bool may_delete_claims(Io& io, const std::optional<AppliedSet>& set) {
    std::string claims;
    for (const AppliedObject& object : set ? set->objects : std::vector<AppliedObject>()) {
      if (object.kind != "PersistentVolumeClaim") continue;
      claims += (claims.empty() ? "" : ", ") + object.name;
    }
    if (claims.empty()) return true;
    const std::string question =
        "The data in these claims would be lost: " + foreign_text(claims) + ".";
    if (machine().terminal && agrees(question + " Go on?", machine().interrupt)) return true;
    io.err += machine().terminal
                  ? "nothing was written\n"
                  : "error: " + question + "\n   = help: only a person at a terminal can agree\n";
    return false;
  }

  static ExitCode remove_object(Io& io, const Looked& looked, const AppliedSet& set,
                                const AppliedObject& object) {
    const ApiResource* resource = looked.discovery->find(object.api_version, object.kind);
    if (resource == nullptr) return ExitCode::Good;
    const std::string name = foreign_text(object.kind + "/" + object.name);
    std::string uid = object.uid;
    if (uid.empty()) {
      // `apply` was interrupted before it knew: the label says whose the object is.
      Answer answer = looked.transport().send(get_call(*resource, object.name_space, object.name));
      const auto error = error_of(answer);
      if (error) return error->is_not_found() ? ExitCode::Good : tell_end(io, looked, *error);
      const JsonAnswer live = JsonDocument::read(std::move(answer.body));
      if (live == nullptr || !is_member(live->root(), set)) {
        io.out += "kept " + name + ": it is not marked as ours\n";
        return ExitCode::Good;
      }
      uid = live->root()["metadata"]["uid"].text();
    }
    const auto error = error_of(
        looked.transport().send(delete_call(*resource, object.name_space, object.name, uid)));
    if (!error) {
      io.out += "deleted " + name + "\n";
    } else if (error->is_conflict()) {
      io.out += "kept " + name + ": another client created it again\n";
    } else if (!error->is_not_found()) {
      return tell_end(io, looked, *error);
    }
    return ExitCode::Good;
  }

  bool claims_ = false;
};

}  // namespace

std::unique_ptr<Command> cancel_command(LocalMachine& machine) {
  return std::make_unique<CancelCommand>(machine);
}

std::unique_ptr<Command> resume_command(LocalMachine& machine) {
  return std::make_unique<ResumeCommand>(machine);
}

std::unique_ptr<Command> delete_command(LocalMachine& machine) {
  return std::make_unique<DeleteCommand>(machine);
}

}  // namespace trainyard
