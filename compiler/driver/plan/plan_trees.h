#pragma once

#include <memory>
#include <string>
#include <vector>

#include "driver/plan/git_tree.h"
#include "driver/plan/sync_plan.h"
#include "driver/session/session.h"

namespace trainyard {

struct PlanTreesRequest {
  std::vector<std::string> inputs;  // the tree: directories and files
  std::vector<std::string> old;     // as it was
  std::string git;                  // a revision, or a range of two
  std::vector<std::string> live;    // what `kubectl get -o yaml` printed
  std::string tool;                 // `argocd`, `flux`, `none`; "" to find out
  std::string cluster;              // its file; "" for none
  std::string name_space;           // of objects that name none
};

/// A plan with all that it points into.
struct PlannedTrees {
  std::unique_ptr<ClusterDocument> cluster;
  std::unique_ptr<SyncStates> states;
  SyncPlan plan;
};

/// Reads the states alone. Errors are in the session's sink: then they are not all.
std::unique_ptr<SyncStates> read_sync_states(Session& session, const PlanTreesRequest& request,
                                             const ClusterDocument* cluster, const RunGit& git);

/// Reads the states and compares them. Errors are in the session's sink: then there is no plan.
PlannedTrees plan_trees(Session& session, const PlanTreesRequest& request, const RunGit& git);

}  // namespace trainyard
