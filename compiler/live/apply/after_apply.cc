#include "live/apply/after_apply.h"

#include "cluster/api/calls.h"
#include "diag/foreign_text.h"
#include "live/jobs/follow_logs.h"
#include "live/jobs/looked_kinds.h"
#include "live/live_exit.h"
#include "live/runai/runai_submission.h"
#include "live/terminal.h"
#include "live/time_word.h"

namespace trainyard {
namespace {

const JobKind* job_kind_of(const JobKinds& kinds, const PlannedObject& object) {
  if (object.action == Action::Delete) return nullptr;
  std::string name = object.kind;
  if (object.resource == nullptr) {
    if (object.wanted == nullptr || !is_runai_workload(object.wanted->api_version, object.kind))
      return nullptr;
    name += ".run.ai";
  } else if (!object.resource->group().empty()) {
    name += "." + std::string(object.resource->group());
  }
  const JobKind* kind = kinds.find(name);
  return kind != nullptr && kind->is_job() ? kind : nullptr;
}

/// Those that were submitted to Run:ai. Its lists may not have them yet.
std::vector<LiveJob> submitted(const ClusterPlan& plan, std::vector<JsonAnswer>& answers) {
  std::vector<LiveJob> jobs;
  for (const PlannedObject* each : jobs_in(plan)) {
    answers.push_back(JsonDocument::read("{" + json_member("kind", each->kind) +
                                         ", \"metadata\": {" + json_member("name", each->name) +
                                         ", " + json_member("namespace", each->name_space) + ", " +
                                         json_member("uid", each->uid) + "}}"));
    jobs.push_back({plan.kinds, job_kind_of(*plan.kinds, *each), nullptr, answers.back()->root()});
  }
  return jobs;
}

/// The jobs as they are now; `answers` keeps them.
std::vector<LiveJob> read_jobs(Io& io, LiveCluster& cluster, const Discovery& discovery,
                               const ClusterPlan& plan, std::vector<JsonAnswer>& answers,
                               ExitCode& code) {
  const std::vector<const PlannedObject*> planned = jobs_in(plan);
  std::vector<Request> requests;
  for (const PlannedObject* each : planned)
    requests.push_back(get_call(*each->resource, each->name_space, each->name));
  std::vector<Answer> got = cluster.transport().send_all(std::move(requests));
  std::vector<LiveJob> jobs;
  for (std::size_t i = 0; i < planned.size(); ++i) {
    std::optional<ApiError> error = error_of(got[i]);
    const JsonAnswer object = error ? nullptr : JsonDocument::read(std::move(got[i].body));
    if (object == nullptr) {
      code = tell(io, cluster, error.value_or(unreadable_answer()));
      continue;
    }
    answers.push_back(object);
    const JobKind* kind = job_kind_of(*plan.kinds, *planned[i]);
    jobs.push_back(
        {plan.kinds, kind, planned[i]->resource, object->root(), tellers_of(discovery, *kind)});
  }
  return jobs;
}

/// A person sees what was applied before the wait begins.
void show_so_far(Io& io) {
  if (io.reports()) return;
  print_now(io.out);
  flush_output();
  if (!io.err.empty()) say_now(std::string_view(io.err).substr(0, io.err.size() - 1));
  io.out.clear();
  io.err.clear();
}

}  // namespace

void AfterApply::add_arguments(Arguments& rows) {
  rows.push_back({.name = "wait",
                  .value = "PHASE",
                  .help = "Then wait for the jobs: until they have ended, or `--wait=running`",
                  .kind = ValueKind::Word,
                  .words = {"running", "finished"},
                  .alone = "finished",
                  .into = &wait_});
  rows.push_back(
      {.name = "logs", .help = "Then print the log of rank 0 until the job ends", .into = &logs_});
  rows.push_back({.name = "timeout",
                  .value = "TIME",
                  .help = "Wait for this time at most, such as `30m`; for ever without it",
                  .into = &timeout_word_});
}

ExitCode AfterApply::read_options(Io& io) {
  if (!timeout_word_.empty()) {
    const auto timeout = read_duration(timeout_word_);
    if (!timeout) return wrong_duration(io, "--timeout", timeout_word_);
    if (!waits()) return wrong_call(io, "`--timeout` needs `--wait` or `--logs`");
    timeout_ = *timeout;
  }
  if (logs_ && wait_ == "running") {
    return wrong_call(io, "`--logs` follows the job to its end: leave `--wait=running` out");
  }
  if (logs_ && io.reports()) {
    return wrong_call(io,
                      "`--logs` and `--output json` both print to standard output: use `--wait`");
  }
  return ExitCode::Good;
}

ExitCode AfterApply::has_jobs(Io& io, const ClusterPlan& plan) const {
  const std::size_t jobs = jobs_in(plan).size();
  if (waits() && jobs == 0) {
    return wrong_call(io, "the input has no job that `--wait` or `--logs` could follow");
  }
  if (logs_ && jobs > 1) {
    return wrong_call(io, "`--logs` follows one job, and the input has " + std::to_string(jobs) +
                              ": use `--wait`");
  }
  return ExitCode::Good;
}

Waited AfterApply::follow(Io& io, LiveCluster& cluster, const std::optional<Discovery>& discovery,
                          const ClusterPlan& plan) const {
  show_so_far(io);
  Waited waited;
  std::vector<JsonAnswer> answers;
  const std::vector<LiveJob> jobs =
      discovery ? read_jobs(io, cluster, *discovery, plan, answers, waited.code)
                : submitted(plan, answers);
  if (waited.code != ExitCode::Good) return waited;
  if (!logs_) return wait_for_jobs(io, cluster, jobs, {goal_of(wait_), timeout_});
  LogChoice choice{.ranks = *RankSet::read("0")};
  choice.request.follow = true;
  choice.colour = io.colour;
  return follow_logs(io, cluster, jobs.front(), choice, {true, timeout_});
}

std::vector<const PlannedObject*> jobs_in(const ClusterPlan& plan) {
  std::vector<const PlannedObject*> jobs;
  for (const PlannedObject& object : plan.objects) {
    if (job_kind_of(*plan.kinds, object) != nullptr) jobs.push_back(&object);
  }
  return jobs;
}

std::string jobs_json(const ClusterPlan& plan, const Waited& waited) {
  const std::vector<const PlannedObject*> jobs = jobs_in(plan);
  std::string out;
  for (std::size_t i = 0; i < waited.news.size(); ++i) {
    const JobNews& news = waited.news[i];
    out += (out.empty() ? "{" : ", {") + json_member("job", jobs[i]->kind + "/" + jobs[i]->name) +
           ", " + json_member("namespace", jobs[i]->name_space) + ", " +
           json_member("phase", std::string(name_of(news.state.phase))) +
           ", \"gone\": " + (news.gone ? "true" : "false") + "}";
  }
  return "\"jobs\": [" + out + "]";
}

}  // namespace trainyard
