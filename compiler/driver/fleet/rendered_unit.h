#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/session/inputs.h"
#include "driver/session/session.h"

namespace trainyard {

/// What `render` wrote for one team on one cluster.
struct RenderedUnit {
  std::string name;        // FLEET.CLUSTER.TEAM: a job has no dot in its name
  std::string name_space;  // the first of the team
  std::unique_ptr<ClusterDocument> cluster;
  std::vector<std::string> folders;  // that are there, in the order of creation; none of chains
  std::string chains;                // the folder of jobs that run one after another; "" for none
};

/// Finds the folders of `unit`, which is CLUSTER/TEAM, in the tree of the Fleet in the file
/// `fleet`. Nothing, with errors in the session's sink, if the Fleet is wrong or has no such unit,
/// or if the cluster has no folder in the tree.
std::optional<RenderedUnit> find_unit(Session& session, const std::string& fleet,
                                      const std::string& unit);

}  // namespace trainyard
