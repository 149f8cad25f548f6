#include "live/jobs/job_command.h"

#include "diag/foreign_text.h"
#include "diag/words.h"
#include "live/live_exit.h"
#include "live/runai/runai_jobs.h"
#include "manifest/program_jobs.h"

namespace trainyard {

void JobCommand::add_job_arguments(Arguments& rows, bool required) {
  rows.push_back({.name = "JOB",
                  .help = required ? "The job: its name, Kind/name, or its spec"
                                   : "The job: its name, Kind/name, or its spec; all without it",
                  .operand = true,
                  .required = required,
                  .into = &job_});
  rows.push_back(templates_argument(options_.templates));
  add_cluster_arguments(rows);
  add_connection_arguments(rows);
}

JobCommand::Looked JobCommand::look(Io& io, Around around, bool one, std::string_view role) {
  Looked looked;
  session_ = std::make_unique<Session>(io.env);
  prepare(*session_, options_);
  if (session_->sink.has_errors()) {
    looked.code = finish(io, *session_);
    return looked;
  }
  std::string problem;
  const auto name =
      job_.empty() ? std::optional(JobName()) : read_job_name(job_, kinds(), io.env, problem);
  if (!name) {
    looked.code = wrong_input(io, problem);
    return looked;
  }
  std::vector<std::string> inputs;
  if (names_a_file(job_)) inputs.push_back(job_);
  const std::vector<MeantCluster> meant = this->meant(io, inputs, looked.code);
  if (looked.code != ExitCode::Good) return looked;
  looked.cluster = open(io, meant, looked.code);
  if (looked.cluster == nullptr) return looked;
  if (!looked.cluster->is_runai()) {
    ApiError error;
    looked.discovery = Discovery::of(looked.transport(), error);
    if (!looked.discovery) {
      looked.code = tell(io, *looked.cluster, error);
      return looked;
    }
  }
  looked.name_space =
      name->name_space.empty() ? looked.cluster->connection().name_space : name->name_space;
  looked.name = *name;
  look_again(io, looked, around);
  if (!role.empty() && looked.found.jobs.size() > 1) {
    std::erase_if(looked.found.jobs, [&](const LiveJob& job) {
      const auto program = program_of(job.object);
      return program && program->role != role;
    });
    if (looked.found.jobs.empty()) {
      looked.code = wrong_call(io, shown(looked.name.name) + " has no role " + shown(role));
    }
  }
  if (looked.is_there() && one && looked.found.jobs.size() > 1) {
    std::vector<std::string> names;
    for (const LiveJob& job : looked.found.jobs) names.push_back(job.heading());
    looked.code = wrong_call(io, "several jobs have this name: name one as " + listed(names, "or"));
  }
  return looked;
}

void JobCommand::look_again(Io& io, Looked& looked, Around around) {
  const std::string& place = looked.name_space;
  looked.found = looked.cluster->is_runai()
                     ? look_for_runai_jobs(looked.transport(),
                                           {looked.name.name, place, looked.name.kind}, around)
                     : look_for_jobs(looked.transport(), *looked.discovery, kinds(), place,
                                     looked.name, around);
  for (const std::string& note : looked.found.notes) io.err += "note: " + foreign_text(note) + "\n";
  if (looked.found.error) {
    looked.code = tell(io, *looked.cluster, *looked.found.error);
  } else if (looked.found.jobs.empty() && looked.found.refused) {
    looked.code = tell(io, *looked.cluster, *looked.found.refused);
  } else if (looked.found.jobs.empty() && !looked.name.name.empty()) {
    const std::string where = place.empty() ? "Run:ai" : "namespace " + shown(place);
    io.err += "error: " + where + " has no job " + shown(looked.name.name) + "\n   = note: on " +
              foreign_text(looked.cluster->heading()) +
              "; `-n` names another namespace, `trainyard status` lists the jobs\n";
    looked.code = kNoSuchJob;
  }
}

}  // namespace trainyard
