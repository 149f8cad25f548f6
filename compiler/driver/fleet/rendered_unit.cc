#include "driver/fleet/rendered_unit.h"

#include <algorithm>
#include <utility>

#include "diag/words.h"
#include "driver/fleet/fleet_plan.h"
#include "driver/fleet/fleet_units.h"
#include "schema/names.h"

namespace trainyard {
namespace {

class UnitFinder {
 public:
  UnitFinder(Session& session, const FleetPlan& plan, const std::string& unit)
      : session_(session), plan_(plan) {
    const std::size_t slash = std::min(unit.find('/'), unit.size());
    cluster_ = unit.substr(0, slash);
    team_ = unit.substr(std::min(slash + 1, unit.size()));
  }

  std::optional<RenderedUnit> find() {
    RenderedUnit unit;
    unit.cluster = cluster();
    const PlannedTeam* const planned = team();
    if (unit.cluster == nullptr || planned == nullptr) return std::nullopt;
    unit.name = std::string(*plan_.fleet.metadata->name) + "." + cluster_ + "." + team_;
    unit.name_space = planned->namespaces.front();
    if (const Fault fault = why_not_subdomain(unit.name)) {
      refuse(DiagnosticKind::BadName,
             "the record of the unit is named " + shown(unit.name) + ", which " + *fault);
      return std::nullopt;
    }
    if (!session_.env.files.is_directory(plan_.rendered + "/" + cluster_)) {
      refuse(DiagnosticKind::NoInput,
             shown(plan_.rendered + "/" + cluster_) + " is missing: run `trainyard render` first");
      return std::nullopt;
    }
    for (const auto& folder :
         {FleetUnits::claims_folder, FleetUnits::runtimes_folder, FleetUnits::jobs_folder}) {
      if (auto path = path_of(folder(cluster_))) unit.folders.push_back(std::move(*path));
    }
    unit.chains = path_of(FleetUnits::chains_folder(cluster_)).value_or("");
    return unit;
  }

 private:
  void refuse(DiagnosticKind kind, std::string message) {
    session_.sink.report(kind, {}, std::move(message));
  }

  /// An empty folder is as one that is missing: Git has none.
  std::optional<std::string> path_of(const std::string& folder) const {
    std::string path = plan_.rendered + "/" + folder + team_;
    if (!session_.env.files.is_directory(path)) return std::nullopt;
    const Listing listing = session_.env.files.list(path);
    if (listing.names.empty() && !listing.error) return std::nullopt;
    return path;
  }

  std::unique_ptr<ClusterDocument> cluster() {
    std::vector<std::string> names;
    for (const PlannedCluster& planned : plan_.clusters) {
      auto document = read_cluster(session_, planned.file);
      if (document == nullptr) return nullptr;
      names.emplace_back(*document->cluster.metadata->name);
      if (names.back() == cluster_) return document;
    }
    refuse_name("cluster", cluster_, names);
    return nullptr;
  }

  const PlannedTeam* team() {
    const auto found = std::ranges::find(plan_.teams, team_, &PlannedTeam::name);
    if (found != plan_.teams.end()) return &*found;
    std::vector<std::string> names;
    for (const PlannedTeam& each : plan_.teams) names.emplace_back(each.name());
    refuse_name("team", team_, names);
    return nullptr;
  }

  void refuse_name(std::string_view what, const std::string& name,
                   const std::vector<std::string>& names) {
    refuse(DiagnosticKind::UnknownReference, "`--unit` is CLUSTER/TEAM: the fleet has no " +
                                                 std::string(what) + " " + shown(name) +
                                                 "; expected " + listed(names, "or"));
  }

  Session& session_;
  const FleetPlan& plan_;
  std::string cluster_;
  std::string team_;
};

}  // namespace

std::optional<RenderedUnit> find_unit(Session& session, const std::string& fleet,
                                      const std::string& unit) {
  const auto plan = read_fleet(session, fleet);
  if (plan == nullptr) return std::nullopt;
  return UnitFinder(session, *plan, unit).find();
}

}  // namespace trainyard
