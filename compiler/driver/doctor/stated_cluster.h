#pragma once

#include <deque>
#include <string>
#include <vector>

#include "capacity/nodes.h"
#include "capacity/offer.h"
#include "driver/session/session.h"
#include "driver/survey/real_nodes.h"

namespace trainyard {

/// What a Cluster document says of its nodes, with what the machine catalogue adds.
struct StatedCluster {
  const Cluster* cluster = nullptr;
  std::vector<NodeGroup> pools;   // in the order of the document
  std::vector<PoolOffer> offers;  // of each pool
  std::deque<std::string> texts;  // that the offers are views into
};

/// `document` must outlive what is made.
void state_cluster(Session& session, const ClusterDocument& document, StatedCluster& stated);

/// The nodes that are there for a pool.
struct PoolMatch {
  const NodeGroup* stated = nullptr;
  const PoolOffer* offer = nullptr;
  std::vector<const RealNode*> nodes;
};

/// Which nodes belong to which pool: by the labels that jobs on it select. A node is in one pool
/// alone, the first that it fits. A pool without labels has none.
std::vector<PoolMatch> match_pools(const StatedCluster& stated, const std::vector<RealNode>& nodes);

/// The nodes as they are, for placing jobs: those of one pool that offer the same devices are one
/// group. Amounts are what is free; nodes that take no pods are left out.
std::vector<NodeGroup> free_nodes(const std::vector<PoolMatch>& pools);

/// How much of a pool is in use.
struct PoolCapacity {
  struct Amount {
    std::string_view resource;
    Quantity has;
    Quantity free;  // of nodes that take pods
  };
  std::string_view pool;
  std::size_t nodes = 0;
  std::size_t usable = 0;       // ready, and not cordoned
  std::size_t idle = 0;         // of these, those on which no pod has a GPU
  std::vector<Amount> amounts;  // of GPUs
};
std::vector<PoolCapacity> capacities(const std::vector<PoolMatch>& pools);

}  // namespace trainyard
