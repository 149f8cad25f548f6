#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "capacity/nodes.h"
#include "plan/plan.h"

namespace trainyard {

/// What is taken before the job comes: nodes of a pool, amounts of a queue.
struct Usage {
  std::map<std::string, std::int64_t, std::less<>> nodes;  // by pool
  std::map<std::string, std::map<std::string, Quantity, std::less<>>, std::less<>>
      queues;  // by queue and resource
};

/// Nodes of a pool that pods of a role would be put on.
struct PoolShare {
  std::string_view pool;
  std::string_view role;
  std::int64_t pods = 0;
  std::int64_t nodes = 0;
};

/// What a pool has to say to a pod that it does not take, or not as often as wanted.
struct PoolVerdict {
  std::string_view pool;
  Span place;
  std::string why;          // "its taint `nvidia.com/gpu` is not tolerated"
  bool takes_some = false;  // false: it takes no such pod at all
};

/// Where a gang fits, or the one constraint that prevents it.
struct Fit {
  bool fits = true;
  std::vector<PoolShare> shares;
  std::string obstacle;            // "4 pods of role `worker` need 4 nodes, and 3 are free"
  std::string_view role;           // that it is about; "" for the whole job
  std::vector<PoolVerdict> pools;  // what each pool says
  std::vector<std::string> notes;  // what was taken to be so
};

/// How a job wants its pods near each other.
struct TopologyRequirement {
  std::string_view level;        // all pods in one domain of this level; "" for anywhere
  std::string_view slice_level;  // each slice of the pods in one domain of this one; "" for none
  std::int64_t slice_nodes = 0;  // nodes of a slice
};

/// What pods of a role request beside what the plan has of them: containers that the user adds.
struct Beside {
  std::string_view role;
  std::string_view resource;
  Quantity amount;
};

/// Places the pods of all roles at once, node by node: selectors, required node affinity, taints,
/// amounts, one pod per node where the job's own anti-affinity says so, and one domain of a
/// topology level. Greedy, largest pods first, pools in their order.
Fit place_gang(const Plan& plan, const TopologyRequirement& topology,
               const std::vector<NodeGroup>& nodes, const Usage& used,
               const std::vector<Beside>& beside = {});

}  // namespace trainyard
