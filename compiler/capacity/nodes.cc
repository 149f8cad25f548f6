#include "capacity/nodes.h"

#include <deque>

#include "capacity/offer.h"
#include "capacity/topology_levels.h"

namespace trainyard {
namespace {

class Group {
 public:
  Group(const Cluster& cluster, const Located<Pool>& pool, const Machine* machine,
        const MachineSpec* cloud)
      : cluster_(*cluster.spec), pool_(*pool), machine_(machine), cloud_(cloud) {
    result_.pool = &pool_;
    result_.place = pool_.name ? pool_.name.span : pool.span;
    if (pool_.count) result_.count = *pool_.count;
  }

  NodeGroup made(const std::function<const Tree&(Span)>& tree_of) {
    labels();
    taints(pool_.taints, tree_of);
    if (machine_ != nullptr) taints(machine_->taints, tree_of);
    amounts();
    domains();
    for (const auto& level : topology_levels(&pool_, machine_, cloud_)) {
      result_.levels.push_back(*level->node_label);
    }
    return std::move(result_);
  }

 private:
  /// The domains of NVLink are as large as the machine has them, where the pool says nothing else.
  void domains() {
    for (const auto& level : *pool_.topology) {
      if (level->nodes)
        result_.domains.push_back({*level->name, *level->nodes, *level->node_label});
    }
    if (machine_ == nullptr || !machine_->nvlink_nodes) return;
    const NodeDomain nvlink{"nvlink", *machine_->nvlink_nodes, "nvidia.com/gpu.clique"};
    if (result_.domain(nvlink.name) != nullptr || result_.domain(nvlink.label) != nullptr) return;
    result_.domains.push_back(nvlink);
  }

  void labels() {
    for (const auto& label : *pool_.labels) {
      result_.labels.emplace(std::string(label.key), std::string(*label.value));
    }
    if (pool_.zone) result_.labels.emplace("topology.kubernetes.io/zone", *pool_.zone);
    // Own labels may stand for another way of buying nodes than the cloud's.
    if (const MachineCapacity* marks = pool_.labels ? nullptr : marks_of(cloud_, pool_)) {
      for (const auto& label : *marks->labels) {
        result_.labels.emplace(std::string(label.key), std::string(*label.value));
      }
    }
    if (machine_ == nullptr) return;
    for (const auto& label : *machine_->node_selector) {
      // That of a machine is of its whole GPUs: slices and sharing change the product.
      const bool is_product = label.key == kProductLabel;
      std::string value =
          is_product ? product_label(cluster_, pool_, *label.value) : std::string(*label.value);
      if (!value.empty()) result_.labels.emplace(std::string(label.key), std::move(value));
    }
  }

  void taints(const Shape& list, const std::function<const Tree&(Span)>& tree_of) {
    if (!list) return;
    const Tree& tree = tree_of(list.span);
    for (NodeId id : tree.children(list.node)) {
      const View taint(tree, id);
      const std::string_view effect = taint["effect"].text();
      if (effect == "PreferNoSchedule") continue;
      result_.taints.push_back({taint["key"].text(), taint["value"].text(), effect});
    }
  }

  /// GPUs that a strategy of the whole cluster may cut up in unknown ways are not
  /// counted.
  void amounts() {
    const auto& strategy = cluster_.gpu->mig_strategy;
    const bool may_be_cut =
        strategy && *strategy != MigStrategy::None && !pool_.gpu->mig_strategy && !pool_.gpu->mig;
    std::deque<std::string> names;
    const PoolOffer offer =
        offer_of(cluster_, pool_, machine_, [&names](std::string name) -> std::string_view {
          return names.emplace_back(std::move(name));
        });
    for (const Offer& each : offer.offers) {
      if (each.gpu && may_be_cut) continue;
      result_.amounts.emplace(std::string(each.resource), each.amount);
    }
  }

  const ClusterSpec& cluster_;
  const Pool& pool_;
  const Machine* machine_;
  const MachineSpec* cloud_;
  NodeGroup result_;
};

}  // namespace

std::optional<Quantity> NodeGroup::amount(std::string_view resource) const {
  const auto found = amounts.find(resource);
  return found == amounts.end() ? std::nullopt : std::optional(found->second);
}

const NodeDomain* NodeGroup::domain(std::string_view level) const {
  if (level.empty()) return nullptr;
  for (const NodeDomain& each : domains) {
    if (each.name == level || each.label == level) return &each;
  }
  return nullptr;
}

std::vector<NodeGroup> nodes_of(const Cluster& cluster, const FindMachine& find_machine,
                                const FindCloud& find_cloud,
                                const std::function<const Tree&(Span)>& tree_of) {
  std::vector<NodeGroup> result;
  for (const auto& pool : *cluster.spec->pools) {
    const Machine* machine = pool->machine ? find_machine(*pool->machine) : nullptr;
    const MachineSpec* cloud = machine == nullptr ? nullptr : find_cloud(*machine);
    result.push_back(Group(cluster, pool, machine, cloud).made(tree_of));
  }
  return result;
}

}  // namespace trainyard
