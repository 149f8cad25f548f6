#include "driver/fleet/fleet_units.h"

#include <algorithm>
#include <utility>

#include "diag/words.h"

namespace trainyard {

FleetUnits::FleetUnits(Session& session, const FleetPlan& plan, const PlannedCluster& cluster,
                       const ClusterDocument& document)
    : plan_(plan) {
  const std::string name(*document.cluster.metadata->name);
  const Located<GitOps>& gitops = document.cluster.spec->gitops;
  // Flux tries all objects of a unit before it makes one; the webhook of Trainer then refuses a
  // TrainJob whose runtime is not there yet.
  const bool splits_runtimes = gitops && *gitops->tool == GitOpsTool::Flux;
  const bool has_policies = std::ranges::any_of(
      plan.teams, [](const PlannedTeam& each) { return !each.policies.empty(); });
  for (const PlannedTeam& team : plan.teams) {
    JobUnit unit;
    unit.team = team.name();
    unit.jobs = jobs_folder(name) + unit.team + "/";
    unit.claims = claims_folder(name) + unit.team + "/";
    if (splits_runtimes) unit.runtimes = runtimes_folder(name) + unit.team + "/";
    unit.chains = chains_folder(name) + unit.team + "/";
    for (const Located<Chain>& chain : *(*team.entry)->chains) {
      for (const Text& step : *chain->steps) unit.chained.insert(*step);
    }
    unit.namespaces = team.namespaces;
    unit.overlays = cluster.overlays;
    unit.overlays.insert(unit.overlays.end(), team.overlays.begin(), team.overlays.end());
    if (has_policies) {
      Policies of_cluster = session.policies.copy();
      for (const std::string& path : team.policies) session.policies.load(session, path);
      policies_.push_back(
          std::make_unique<Policies>(std::exchange(session.policies, std::move(of_cluster))));
      unit.policies = policies_.back().get();
    }
    units_.push_back(std::move(unit));
  }
}

const JobUnit* FleetUnits::unit_of(Session& session, const Document& document) const {
  const auto found = plan_.claims.find(document.path);
  const View name = document.root()["metadata"]["name"];
  const Span place = name ? name->span : document.root()->span;
  if (found == plan_.claims.end() || found->second.empty()) {
    session.sink
        .report(DiagnosticKind::UnknownReference, place,
                shown(document.path) + " belongs to no team of the fleet")
        .also(plan_.fleet.spec->teams.span, "the teams")
        .note(
            "a team claims a spec by a path or a pattern in its `specs`, such as `specs/*/nlp/**`");
    return nullptr;
  }
  const std::vector<TeamClaim>& claims = found->second;
  if (claims.size() == 1) return &units_[claims.front().team];
  Diagnostic& report =
      session.sink.report(DiagnosticKind::ConflictingValues, place,
                          shown(document.path) + " belongs to several teams; expected one");
  for (const TeamClaim& each : claims) {
    report.also(each.pattern, "team `" + units_[each.team].team + "`");
  }
  return nullptr;
}

}  // namespace trainyard
