#include "driver/discover/discovered_pools.h"

#include <algorithm>
#include <set>

#include "capacity/offer.h"
#include "diag/words.h"
#include "driver/survey/discovery_signs.h"
#include "source/characters.h"

namespace trainyard {
namespace {

constexpr std::string_view kInstance = "node.kubernetes.io/instance-type";
constexpr std::string_view kZone = "topology.kubernetes.io/zone";

std::int64_t whole(const RealNode& node, std::string_view resource) {
  const auto found = node.allocatable.find(resource);
  return found == node.allocatable.end() ? 0 : found->second.whole_units().value_or(0);
}

std::int64_t number_of(std::string_view text) {
  const auto amount = Quantity::parse(text);
  return amount ? amount->whole_units().value_or(0) : 0;
}

std::map<std::string, std::string> grouping_labels(const RealNode& node) {
  std::map<std::string, std::string> labels;
  const auto take = [&](std::string_view key) {
    const std::string_view value = node.label(key);
    if (!value.empty()) labels.emplace(key, value);
  };
  for (const std::string_view key : discovery_signs().pool_labels) take(key);
  take(kInstance);
  take(kProductLabel);
  return labels;
}

/// Whether jobs on a pool that states the product label find such nodes.
bool fits_selector(const Machine& machine, const RealNode& node) {
  return std::ranges::all_of(*machine.node_selector, [&node](const auto& each) {
    if (each.key == kProductLabel) return !node.label(kProductLabel).empty();
    return node.label(each.key) == *each.value;
  });
}

bool is_named(const Machine& machine, std::string_view name) {
  return *machine.name == name ||
         std::ranges::any_of(*machine.aliases, [name](const Text& each) { return *each == name; });
}

bool has_selector(const Machine& machine) {
  return machine.node_selector && !machine.node_selector->empty();
}

/// A machine that only its GPUs tell: those on premises.
bool is_plain(const Machine& machine) {
  return machine.node_selector && machine.node_selector->size() == 1 &&
         machine.node_selector->front().key == kProductLabel;
}

class PoolMaker {
 public:
  explicit PoolMaker(const std::vector<KnownMachine>& machines) : machines_(machines) {}

  DiscoveredPool make(std::vector<const RealNode*> nodes,
                      std::map<std::string, std::string> labels) {
    pool_ = {};
    pool_.nodes = std::move(nodes);
    pool_.labels = std::move(labels);
    for (const RealNode* node : pool_.nodes) include(*node);
    const std::string_view zone = pool_.nodes.front()->label(kZone);
    const bool in_one = std::ranges::all_of(
        pool_.nodes, [zone](const RealNode* each) { return each->label(kZone) == zone; });
    if (in_one) pool_.zone = zone;
    choose_machine();
    if (pool_.machine.machine != nullptr) choose_capacity();
    choose_name();
    return std::move(pool_);
  }

 private:
  void include(const RealNode& node) {
    const bool is_first = &node == pool_.nodes.front();
    const RealGpus gpus = gpus_of(node);
    if (is_first || gpus.count > pool_.gpus.count) pool_.gpus = gpus;
    least(node, "cpu", pool_.cpu, is_first);
    least(node, "memory", pool_.memory, is_first);
    pool_.daemons = std::max(pool_.daemons, node.daemons);
    for (const auto& [resource, amount] : node.allocatable) {
      const bool is_device = resource.find('/') != std::string::npos;
      if (!is_device || resource.starts_with("nvidia.com/gpu") ||
          resource.starts_with("nvidia.com/mig-") || amount.is_zero()) {
        continue;
      }
      Quantity& most = pool_.devices[resource];
      most = std::max(most, amount);
    }
    for (const NodeTaint& taint : node.taints) {
      const bool is_known = std::ranges::any_of(pool_.taints, [&taint](const NodeTaint& each) {
        return each.key == taint.key && each.value == taint.value && each.effect == taint.effect;
      });
      if (!is_known) pool_.taints.push_back(taint);
    }
  }

  static void least(const RealNode& node, std::string_view resource, Quantity& sum, bool is_first) {
    if (!node.allocatable.contains(resource)) return;
    const Quantity amount = node.for_jobs(resource);
    sum = is_first ? amount : std::min(sum, amount);
  }

  void choose_machine() {
    const RealNode& node = *pool_.nodes.front();
    const std::string_view type = node.label(kInstance);
    const auto pick = [&](auto&& holds, std::string because) {
      if (pool_.machine.machine != nullptr) return;
      for (const KnownMachine& each : machines_) {
        if (!fits_selector(*each.machine, node) || !holds(*each.machine)) continue;
        pool_.machine = each;
        pool_.machine_by = std::move(because);
        return;
      }
    };
    const RealGpus& gpus = pool_.gpus;
    const auto has_product = [&gpus](const Machine& machine) {
      return !gpus.product.empty() && machine.gpu->product.given() &&
             *machine.gpu->product == gpus.product;
    };
    pick([&](const Machine& machine) { return !type.empty() && is_named(machine, type); },
         "label " + std::string(kInstance));
    pick([&](const Machine& machine) { return !is_plain(machine) && has_selector(machine); },
         "labels of the nodes");
    pick(
        [&](const Machine& machine) {
          return has_product(machine) && is_plain(machine) && *machine.gpu->count == gpus.count;
        },
        "guessed: by the GPUs");
    pick([&](const Machine& machine) { return has_product(machine) && is_plain(machine); },
         "guessed: by the sort of GPU; a node has another number of them");
    pick([&](const Machine& machine) { return is_plain(machine) && !gpus.product.empty(); },
         "guessed: the catalogue has no machine with this GPU");
    pool_.is_stand_in = pool_.machine.machine != nullptr && !gpus.product.empty() &&
                        pool_.machine.machine->gpu->product.given() &&
                        *pool_.machine.machine->gpu->product != gpus.product;
    if (pool_.is_stand_in) {
      pool_.notes.push_back("its machine stands in for one that you can describe: --templates");
    }
  }

  /// How the nodes are bought, by the labels of their cloud.
  void choose_capacity() {
    for (const auto& each : *pool_.machine.cloud->capacity) {
      const std::string_view word = words(CapacityKind{})[static_cast<std::size_t>(*each->kind)];
      for (const auto& label : *each->labels) {
        if (!all_have(label.key, *label.value)) continue;
        pool_.capacity = word;
        pool_.capacity_by = label.key;
      }
      if (!each->reservation_label) continue;
      const std::string_view name = pool_.nodes.front()->label(*each->reservation_label);
      if (name.empty() || !all_have(*each->reservation_label, name)) continue;
      pool_.capacity = word;
      pool_.capacity_by = *each->reservation_label;
      pool_.reservation = name;
    }
  }

  bool all_have(std::string_view key, std::string_view value) const {
    return std::ranges::all_of(pool_.nodes,
                               [&](const RealNode* each) { return each->label(key) == value; });
  }

  void choose_name() {
    for (const std::string_view key : discovery_signs().pool_labels) {
      const auto found = pool_.labels.find(std::string(key));
      if (found == pool_.labels.end()) continue;
      pool_.name = found->second;
      pool_.name_by = "label " + std::string(key);
      return;
    }
    pool_.name = pool_.gpus.product.empty() ? "gpu" : short_product();
    pool_.name_by = "made of the GPUs; choose your own";
  }

  /// `h100` of NVIDIA-H100-80GB-HBM3.
  std::string short_product() const {
    std::string_view product = pool_.gpus.product;
    for (const std::string_view front : {"NVIDIA-", "Tesla-", "AMD-"}) {
      if (product.starts_with(front)) product.remove_prefix(front.size());
    }
    const std::string name = lower_case(product.substr(0, product.find('-')));
    return name.empty() ? "gpu" : name;
  }

  const std::vector<KnownMachine>& machines_;
  DiscoveredPool pool_;
};

bool matches(const RealNode& node, const std::map<std::string, std::string>& labels) {
  return std::ranges::all_of(
      labels, [&node](const auto& each) { return node.label(each.first) == each.second; });
}

/// Pools must not claim the nodes of others: further labels are stated until they do not.
void tell_apart(DiscoveredPool& pool, const std::vector<RealNode>& nodes) {
  const auto is_stranger = [&pool](const RealNode& node) {
    return std::ranges::find(pool.nodes, &node) == pool.nodes.end();
  };
  const auto claims_others = [&] {
    return std::ranges::any_of(nodes, [&](const RealNode& node) {
      return is_stranger(node) && matches(node, pool.labels) &&
             (pool.zone.empty() || node.label(kZone) == pool.zone);
    });
  };
  for (const std::string_view key : discovery_signs().further_labels) {
    if (!claims_others()) return;
    const std::string_view value = pool.nodes.front()->label(key);
    const bool is_common = std::ranges::all_of(
        pool.nodes, [&](const RealNode* each) { return each->label(key) == value; });
    if (is_common && !value.empty()) pool.labels.emplace(key, value);
  }
  if (claims_others()) pool.notes.push_back("other nodes have these labels, too");
}

void make_names_unique(std::vector<DiscoveredPool>& pools) {
  std::set<std::string> names;
  for (DiscoveredPool& pool : pools) {
    pool.name = pool.name.substr(0, 60);
    const std::string first = pool.name;
    for (int number = 2; !names.insert(pool.name).second; ++number) {
      pool.name = first + "-" + std::to_string(number);
    }
  }
}

}  // namespace

RealGpus gpus_of(const RealNode& node) {
  RealGpus gpus;
  std::string_view product = node.label(kProductLabel);
  const bool is_shared_label = product.ends_with("-SHARED");
  if (is_shared_label) product.remove_suffix(std::string_view("-SHARED").size());
  const std::size_t cut = product.find("-MIG-");
  gpus.product = product.substr(0, cut);
  gpus.is_renamed = whole(node, "nvidia.com/gpu.shared") > 0;
  if (is_shared_label || gpus.is_renamed) {
    const std::string_view strategy = node.label("nvidia.com/gpu.sharing-strategy");
    gpus.sharing = strategy == "mps" ? "mps" : "time-slicing";
    gpus.replicas = std::max<std::int64_t>(2, number_of(node.label("nvidia.com/gpu.replicas")));
  }
  const std::int64_t offered =
      whole(node, gpus.is_renamed ? "nvidia.com/gpu.shared" : "nvidia.com/gpu") / gpus.replicas;
  if (cut != std::string_view::npos) {
    gpus.mig[std::string(product.substr(cut + 5))] = offered;
  } else {
    gpus.count = offered;
  }
  for (const auto& [resource, amount] : node.allocatable) {
    constexpr std::string_view kSlice = "nvidia.com/mig-";
    if (!resource.starts_with(kSlice) || amount.is_zero()) continue;
    gpus.is_mixed = true;
    gpus.mig[resource.substr(kSlice.size())] = amount.whole_units().value_or(0);
  }
  return gpus;
}

std::vector<DiscoveredPool> discover_pools(const std::vector<RealNode>& nodes,
                                           const std::vector<KnownMachine>& machines) {
  std::map<std::map<std::string, std::string>, std::vector<const RealNode*>> groups;
  for (const RealNode& node : nodes) {
    if (has_gpus(node)) groups[grouping_labels(node)].push_back(&node);
  }
  std::vector<DiscoveredPool> pools;
  PoolMaker maker(machines);
  for (auto& [labels, members] : groups) pools.push_back(maker.make(std::move(members), labels));
  for (DiscoveredPool& pool : pools) tell_apart(pool, nodes);
  std::ranges::sort(pools, {}, [](const DiscoveredPool& pool) {
    return std::pair<std::string_view, const std::map<std::string, std::string>&>(pool.name,
                                                                                  pool.labels);
  });
  make_names_unique(pools);
  return pools;
}

}  // namespace trainyard
