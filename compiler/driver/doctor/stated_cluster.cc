#include "driver/doctor/stated_cluster.h"

#include <algorithm>
#include <set>
#include <utility>

namespace trainyard {
namespace {

bool takes_pods(const RealNode& node) {
  return node.is_ready && !node.is_cordoned;
}

bool is_device(std::string_view resource) {
  return resource.find('/') != std::string_view::npos;
}

void include(Quantity& sum, const Quantity& amount) {
  sum = add(sum, amount).value_or(sum);
}

/// What nodes of one pool have in common: a job can select by it.
std::map<std::string, std::string, std::less<>> common_labels(
    const std::vector<const RealNode*>& nodes) {
  std::map<std::string, std::string, std::less<>> common;
  for (const auto& [key, value] : nodes.front()->labels) {
    const bool is_common =
        std::ranges::all_of(nodes, [&](const RealNode* each) { return each->label(key) == value; });
    if (is_common) common.emplace(key, value);
  }
  return common;
}

using Key = std::pair<std::vector<std::pair<std::string_view, std::string>>,
                      std::vector<std::pair<std::string_view, std::string_view>>>;

/// What tells groups apart: free devices, and taints.
Key key_of(const RealNode& node) {
  Key key;
  for (const auto& [resource, amount] : node.allocatable) {
    if (is_device(resource)) key.first.emplace_back(resource, node.free(resource).text());
  }
  for (const NodeTaint& taint : node.taints) key.second.emplace_back(taint.key, taint.effect);
  return key;
}

/// Of what is no device, the least that a node of the group has: pods fit on each of them.
void take_least(const RealNode& node, NodeGroup& group, bool is_first) {
  for (const auto& [resource, amount] : node.allocatable) {
    const Quantity free = node.free(resource);
    const auto [place, is_new] = group.amounts.emplace(resource, free);
    if (!is_new) place->second = std::min(place->second, free);
  }
  if (is_first) group.taints = node.taints;
}

void add_groups(const PoolMatch& pool, std::vector<NodeGroup>& groups) {
  if (pool.nodes.empty()) return;
  NodeGroup base = *pool.stated;
  base.labels = common_labels(pool.nodes);
  base.amounts.clear();
  std::map<Key, NodeGroup> by_key;
  for (const RealNode* node : pool.nodes) {
    if (!takes_pods(*node)) continue;
    const auto [place, is_first] = by_key.try_emplace(key_of(*node), base);
    NodeGroup& group = place->second;
    group.count = is_first ? 1 : *group.count + 1;
    take_least(*node, group, is_first);
  }
  for (auto& [key, group] : by_key) groups.push_back(std::move(group));
}

PoolCapacity capacity_of(const PoolMatch& pool) {
  PoolCapacity result;
  result.pool = *pool.stated->pool->name;
  result.nodes = pool.nodes.size();
  for (const Offer& offer : pool.offer->offers) {
    if (offer.gpu && !offer.claimed) result.amounts.push_back({offer.resource, {}, {}});
  }
  for (const RealNode* node : pool.nodes) {
    bool is_idle = true;
    for (PoolCapacity::Amount& amount : result.amounts) {
      const auto has = node->allocatable.find(amount.resource);
      if (has == node->allocatable.end()) continue;
      include(amount.has, has->second);
      if (takes_pods(*node)) include(amount.free, node->free(amount.resource));
      is_idle = is_idle && node->free(amount.resource) == has->second;
    }
    if (!takes_pods(*node)) continue;
    ++result.usable;
    if (is_idle) ++result.idle;
  }
  return result;
}

}  // namespace

void state_cluster(Session& session, const ClusterDocument& document, StatedCluster& stated) {
  stated.cluster = &document.cluster;
  const FindMachine find = [&session](std::string_view name) {
    return session.machines.find(name);
  };
  stated.pools = nodes_of(
      document.cluster, find,
      [&session](const Machine& machine) {
        return session.machines.catalogue(machine.name.span.file);
      },
      [&](Span place) -> const Tree& {
        const Tree* machine = session.machines.tree(place.file);
        return machine == nullptr ? document.tree : *machine;
      });
  for (const auto& pool : *document.cluster.spec->pools) {
    const Machine* machine = pool->machine ? find(*pool->machine) : nullptr;
    stated.offers.push_back(
        offer_of(*document.cluster.spec, *pool, machine, [&stated](std::string name) {
          return std::string_view(stated.texts.emplace_back(std::move(name)));
        }));
  }
}

std::vector<PoolMatch> match_pools(const StatedCluster& stated,
                                   const std::vector<RealNode>& nodes) {
  std::vector<PoolMatch> result;
  std::set<const RealNode*> taken;
  for (std::size_t i = 0; i < stated.pools.size(); ++i) {
    PoolMatch& match = result.emplace_back(PoolMatch{&stated.pools[i], &stated.offers[i], {}});
    if (match.stated->labels.empty()) continue;
    for (const RealNode& node : nodes) {
      if (taken.contains(&node) || !node.has_labels(match.stated->labels)) continue;
      taken.insert(&node);
      match.nodes.push_back(&node);
    }
  }
  return result;
}

std::vector<NodeGroup> free_nodes(const std::vector<PoolMatch>& pools) {
  std::vector<NodeGroup> groups;
  for (const PoolMatch& pool : pools) add_groups(pool, groups);
  return groups;
}

std::vector<PoolCapacity> capacities(const std::vector<PoolMatch>& pools) {
  std::vector<PoolCapacity> result;
  for (const PoolMatch& pool : pools) result.push_back(capacity_of(pool));
  return result;
}

}  // namespace trainyard
