#include "capacity/nodes.h"

namespace trainyard {
namespace {

constexpr std::string_view kGpu = "nvidia.com/gpu";
constexpr std::string_view kProduct = "nvidia.com/gpu.product";

class Group {
 public:
  Group(const Cluster& cluster, const Located<Pool>& pool, const Machine* machine)
      : cluster_(*cluster.spec), pool_(*pool), machine_(machine) {
    result_.pool = &pool_;
    result_.place = pool_.name ? pool_.name.span : pool.span;
    if (pool_.count) result_.count = *pool_.count;
  }

  NodeGroup made(const std::function<const Tree&(Span)>& tree_of) {
    labels();
    taints(pool_.taints, tree_of);
    if (machine_ != nullptr) taints(machine_->taints, tree_of);
    amounts();
    for (const auto& level : *pool_.topology) {
      if (level->nodes) result_.domains.emplace_back(*level->name, *level->nodes);
    }
    return std::move(result_);
  }

 private:
  void labels() {
    for (const auto& label : *pool_.labels) {
      result_.labels.emplace(std::string(label.key), std::string(*label.value));
    }
    if (pool_.zone) result_.labels.emplace("topology.kubernetes.io/zone", *pool_.zone);
    if (machine_ == nullptr) return;
    for (const auto& label : *machine_->node_selector) {
      // That of a machine is of its whole GPUs: slices and sharing change the product.
      if (label.key == kProduct && !whole_gpus()) continue;
      result_.labels.emplace(std::string(label.key), std::string(*label.value));
    }
  }

  bool whole_gpus() const {
    const PoolGpu& own = *pool_.gpu;
    return !own.mig && !own.mig_strategy && !own.sharing && !cluster_.gpu->mig_strategy &&
           !cluster_.gpu->sharing;
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

  void put(std::string_view resource, const QuantityText& amount) {
    if (!amount) return;
    if (const auto parsed = Quantity::parse(*amount)) {
      result_.amounts.emplace(std::string(resource), *parsed);
    }
  }
  void put(std::string_view resource, std::int64_t amount) {
    result_.amounts.emplace(std::string(resource), Quantity::of(amount));
  }

  /// What the pool says goes before what is known of its machine.
  void amounts() {
    for (const auto& entry : *pool_.allocatable) put(entry.key, entry.value);
    devices();
    for (const auto& entry : *pool_.network->resources) put(entry.key, *entry.value);
    if (machine_ == nullptr) return;
    put("cpu", machine_->allocatable->cpu);
    put("memory", machine_->allocatable->memory);
    put("cpu", machine_->cpu);
    put("memory", machine_->memory);
  }

  /// Whole GPUs under their usual name; slices where the pool lists them. GPUs that are shared, and
  /// those that a strategy cuts up without saying how, are not counted.
  void devices() {
    const PoolGpu& gpu = *pool_.gpu;
    if (gpu.mig) {
      for (const auto& slice : *gpu.mig) {
        put("nvidia.com/mig-" + std::string(slice.key), *slice.value);
      }
      return;
    }
    if (!whole_gpus()) return;
    const Integer* count = &gpu.count;
    if (!*count && machine_ != nullptr) count = &machine_->gpu->count;
    if (!*count) return;
    const Text& named = cluster_.gpu->resource;
    put(named ? *named : kGpu, **count);
  }

  const ClusterSpec& cluster_;
  const Pool& pool_;
  const Machine* machine_;
  NodeGroup result_;
};

}  // namespace

std::optional<Quantity> NodeGroup::amount(std::string_view resource) const {
  const auto found = amounts.find(resource);
  return found == amounts.end() ? std::nullopt : std::optional(found->second);
}

std::vector<NodeGroup> nodes_of(const Cluster& cluster, const FindMachine& find_machine,
                                const std::function<const Tree&(Span)>& tree_of) {
  std::vector<NodeGroup> result;
  for (const auto& pool : *cluster.spec->pools) {
    const Machine* machine = pool->machine ? find_machine(*pool->machine) : nullptr;
    result.push_back(Group(cluster, pool, machine).made(tree_of));
  }
  return result;
}

}  // namespace trainyard
