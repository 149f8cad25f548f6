#pragma once

#include <string>
#include <vector>

#include "driver/session/session.h"

namespace trainyard {

/// The name under which the Fleet of a spec is found.
inline constexpr std::string_view kFleetName = "fleet.yaml";

/// What a Fleet says of one of its specs.
struct FleetPlace {
  std::string cluster;                // path of the first Cluster that lists the spec; "" for none
  std::vector<std::string> overlays;  // of this Cluster, and then of the team
};

/// Looks for the spec in the Fleet of a file, without any other spec of it. What is wrong with the
/// Fleet is reported in its own file.
FleetPlace fleet_place(Session& session, const std::string& fleet, const std::string& spec);

}  // namespace trainyard
