#include "live/apply/planning_command.h"

#include "diag/foreign_text.h"
#include "live/apply/plan_text.h"

namespace trainyard {

void PlanningCommand::add_planning_arguments(Arguments& rows) {
  rows.push_back(inputs_argument(
      request_.inputs, "Specs, Clusters, manifests, directories, or - for standard input"));
  rows.push_back(cluster_argument(request_.cluster));
  rows.push_back(target_argument(request_.target));
  rows.push_back(overlay_argument(options_.overlays));
  rows.push_back(lock_argument(options_.lock));
  rows.push_back(no_lock_argument(options_.no_lock));
  rows.push_back(templates_argument(options_.templates));
  rows.push_back(schemas_argument(options_.schemas));
  rows.push_back(policy_argument(options_.policies));
  rows.push_back(strict_argument(options_.strict));
  rows.push_back(config_argument(options_.config));
  rows.push_back(no_config_argument(options_.no_config));
  rows.push_back({.name = "unit",
                  .value = "CLUSTER/TEAM",
                  .help = "Apply all rendered files of this team of the Fleet INPUT, as one group",
                  .into = &request_.unit});
  rows.push_back({.name = "allow-secrets",
                  .help = "Apply Secrets of manifests, too; their values are never printed",
                  .into = &request_.secrets});
  rows.push_back(load_outside_argument());
  add_connection_arguments(rows);
  add_runai_argument(rows);
  rows.push_back(output_argument());
}

PlanningCommand::Planned PlanningCommand::make(Io& io, bool force, bool prune) {
  Planned planned;
  if (!request_.unit.empty() && request_.inputs.size() != 1) {
    planned.code = wrong_call(io, "`--unit` goes with one INPUT, the file of the Fleet");
    return planned;
  }
  planned.session = std::make_unique<Session>(io.env);
  Session& session = *planned.session;
  prepare(session, options_, {request_.inputs, request_.cluster, request_.target});
  Wanted wanted;
  if (!session.sink.has_errors()) wanted = read_wanted(session, request_);
  planned.sets = std::move(wanted.sets);
  if (session.sink.has_errors()) {
    planned.code = finish(io, session);
    return planned;
  }
  planned.cluster = open(io, wanted.meant, planned.code);
  if (planned.cluster == nullptr) return planned;
  ApiError error;
  const bool is_runai = planned.cluster->is_runai();
  if (!is_runai) planned.discovery = Discovery::of(planned.cluster->transport(), error);
  if (is_runai) {
    PlannedWorkloads plan = make_runai_plan(planned.cluster->transport(), planned.sets,
                                            planned.cluster->connection().name_space);
    planned.made.plan = std::move(plan.plan);
    planned.made.error = std::move(plan.error);
    planned.orders = std::move(plan.orders);
  } else if (planned.discovery) {
    planned.made =
        make_plan(planned.cluster->transport(), *planned.discovery, planned.sets,
                  {session.job_kinds(), planned.cluster->connection().name_space, force, prune});
  } else {
    planned.made.error = error;
  }
  if (planned.made.error) planned.code = tell(io, *planned.cluster, *planned.made.error);
  return planned;
}

void PlanningCommand::show(Io& io, const Planned& planned) const {
  io.out += planned.cluster->title() + "\n\n" + plan_text(planned.made.plan);
  for (const std::string& line : planned.made.told) io.err += foreign_text(line) + "\n";
}

}  // namespace trainyard
