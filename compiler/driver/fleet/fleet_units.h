#pragma once

#include <memory>
#include <string>
#include <vector>

#include "driver/build/job_units.h"
#include "driver/fleet/fleet_plan.h"

namespace trainyard {

/// The units of one cluster: one for each team.
class FleetUnits : public JobUnits {
 public:
  /// Loads the policies of the teams, besides those that the session
  /// has; what is wrong with one is an error in its sink. The plan must outlive this.
  FleetUnits(Session& session, const FleetPlan& plan, const PlannedCluster& cluster,
             const ClusterDocument& document);

  const JobUnit* unit_of(Session& session, const Document& document) const override;

  /// Folders of all teams: of their claims, jobs, runtimes, and jobs of chains.
  static std::string claims_folder(const std::string& cluster) { return cluster + "/claims/"; }
  static std::string jobs_folder(const std::string& cluster) { return cluster + "/jobs/"; }
  static std::string runtimes_folder(const std::string& cluster) { return cluster + "/runtimes/"; }
  static std::string chains_folder(const std::string& cluster) { return cluster + "/chains/"; }

 private:
  const FleetPlan& plan_;
  std::vector<JobUnit> units_;  // as the teams of the plan
  std::vector<std::unique_ptr<Policies>> policies_;
};

}  // namespace trainyard
