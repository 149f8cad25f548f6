#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/cluster.h"
#include "spec/machine.h"
#include "tree/quantity.h"
#include "tree/tree.h"

namespace trainyard {

/// A taint that keeps pods away which do not tolerate it.
struct NodeTaint {
  std::string_view key, value, effect;
};

/// A level by which nodes are grouped, and how many of them are in one group.
struct NodeDomain {
  std::string_view name = {};
  std::int64_t nodes = 0;
  std::string_view label = {};
};

/// Like nodes of one pool, as far as the Cluster and the machine catalogue tell. What is not known
/// keeps no pod away.
struct NodeGroup {
  const Pool* pool = nullptr;
  Span place;                         // of the pool in the Cluster
  std::optional<std::int64_t> count;  // nothing when the pool has no stated size
  std::map<std::string, std::string, std::less<>> labels;
  std::vector<NodeTaint> taints;
  std::map<std::string, Quantity, std::less<>> amounts;  // of one node
  std::vector<NodeDomain> domains;                       // widest first
  std::vector<std::string_view> levels;                  // node labels of its Topology
  /// How Kueue holds what pods ask of topology against the levels, where it chooses the nodes.
  enum class ByTopology : std::uint8_t { Unknown, Levels, LevelsAndRequest };
  ByTopology by_topology = ByTopology::Unknown;
  std::string closed;  // why pods of the job do not get there, however free it is; "" when they do

  /// The level of this name or label, where its size is known.
  const NodeDomain* domain(std::string_view level) const;

  /// How much of a resource one node has; nothing when that is not known.
  std::optional<Quantity> amount(std::string_view resource) const;
};

using FindMachine = std::function<const Machine*(std::string_view)>;
/// What the catalogue says of all machines of this one's cloud; null for nothing.
using FindCloud = std::function<const MachineSpec*(const Machine&)>;

/// The nodes of a Cluster, pool by pool in its order. `tree_of` gives the tree that a place is in.
std::vector<NodeGroup> nodes_of(const Cluster& cluster, const FindMachine& find_machine,
                                const FindCloud& find_cloud,
                                const std::function<const Tree&(Span)>& tree_of);

}  // namespace trainyard
