#include "capacity/offer.h"

#include <algorithm>
#include <optional>

namespace trainyard {
namespace {

constexpr std::string_view kGpu = "nvidia.com/gpu";

/// Gathers what a node offers; what was said first counts.
class Gatherer {
 public:
  Gatherer(const ClusterSpec& cluster, const KeepText& keep, PoolOffer& result)
      : cluster_(cluster), keep_(keep), result_(result) {}

  void all() {
    for (std::string_view resource : {"cpu", "memory", "ephemeral-storage"}) native(resource);
    gpus();
    devices();
    for (const auto& entry : *pool().allocatable) {
      add(entry.key, Quantity::parse(*entry.value), entry.value.span);
    }
  }

 private:
  const Pool& pool() const { return *result_.pool; }
  std::string name() const { return "`" + std::string(*pool().name) + "`"; }

  void add(std::string_view resource, std::optional<Quantity> amount, Span place,
           bool gpu = false) {
    if (!amount || result_.find(resource) != nullptr) return;
    result_.offers.push_back({resource, *amount, gpu, false, place});
  }

  void native(std::string_view resource) {
    if (const auto* own = trainyard::find(*pool().allocatable, resource)) {
      return add(resource, Quantity::parse(**own), own->span);
    }
    const Machine* machine = result_.machine;
    if (machine == nullptr || resource == "ephemeral-storage") return;
    const bool memory = resource == "memory";
    const QuantityText& left = memory ? machine->allocatable->memory : machine->allocatable->cpu;
    const QuantityText& amount = left ? left : memory ? machine->memory : machine->cpu;
    if (amount) add(resource, Quantity::parse(*amount), amount.span);
  }

  const Integer* gpu_count() const {
    if (pool().gpu->count) return &pool().gpu->count;
    const Machine* machine = result_.machine;
    return machine != nullptr && machine->gpu->count ? &machine->gpu->count : nullptr;
  }

  std::string gpu_resource() const {
    const Machine* machine = result_.machine;
    if (machine != nullptr && machine->gpu->resource) return std::string(*machine->gpu->resource);
    return std::string(cluster_.gpu->resource.value_or(kGpu));
  }

  void add_gpus(const std::string& resource, std::int64_t count, Span place) {
    if (count == 0) return;
    const std::string_view name = keep_(resource);
    // A site that counts them itself knows better.
    const auto* own = trainyard::find(*pool().allocatable, name);
    add(name, own == nullptr ? Quantity::of(count) : Quantity::parse(**own),
        own == nullptr ? place : own->span, true);
  }

  void gpus() {
    const auto& slices = pool().gpu->mig;
    if (allocation_of(cluster_, pool()) == GpuAllocation::Dra) return claimed();
    const MigStrategy strategy = mig_strategy_of(cluster_, pool());
    if (strategy == MigStrategy::Mixed && slices) {
      for (const auto& entry : *slices) {
        add_gpus("nvidia.com/mig-" + plain_profile(entry.key), *entry.value, entry.value.span);
      }
      return;
    }
    const auto& own_strategy = pool().gpu->mig_strategy;
    if (own_strategy && *own_strategy != MigStrategy::None && !slices) {
      result_.gaps.push_back(
          {own_strategy.span,
           "the Cluster does not say how many slices a node of the pool " + name() + " offers",
           "count them by profile in the pool's `gpu.mig`"});
      return;
    }
    std::int64_t count = 0;
    Span place;
    if (strategy == MigStrategy::Single && slices) {
      for (const auto& entry : *slices) count += *entry.value;
      place = slices.span;
    } else if (const Integer* whole = gpu_count()) {
      count = **whole;
      place = whole->span;
    }
    std::string resource = gpu_resource();
    if (const Located<Sharing>* sharing = sharing_of(cluster_, pool())) {
      count *= *(*sharing)->replicas;
      if ((*sharing)->rename_by_default.value_or(false)) resource += ".shared";
      place = sharing->span;
    }
    add_gpus(resource, count, place);
  }

  /// Whole GPUs, or slices of whatever profile.
  void claimed() {
    const auto& slices = pool().gpu->mig;
    std::int64_t count = 0;
    Span place = slices.span;
    for (const auto& entry : *slices) count += *entry.value;
    const Integer* whole = slices ? nullptr : gpu_count();
    if (whole != nullptr) {
      count = **whole;
      place = whole->span;
    }
    if (count == 0) return;
    result_.offers.push_back(
        {slices ? kSliceClass : kGpuClass, Quantity::of(count), true, true, place});
  }

  /// Devices of the fabric: as the pool counts them, else as the cluster's fabric hands them out,
  /// else as the machine is known to.
  void devices() {
    const Machine* machine = result_.machine;
    Text fabric = pool().network->fabric;
    if (!fabric && machine != nullptr) fabric = machine->fabric;
    const auto* settings = fabric ? trainyard::find(*cluster_.network->fabrics, *fabric) : nullptr;
    if (settings != nullptr) huge_pages(**settings);
    if (pool().network->resources) return counted(pool().network->resources);
    if (settings != nullptr && (*settings)->claims.value_or(false)) return;
    if (settings != nullptr && (*settings)->resource) return by_settings(**settings);
    if (machine != nullptr) counted(machine->resources);
  }

  /// Each pod asks for the same, and there are no more such pods on a node than GPUs.
  void huge_pages(const FabricSettings& fabric) {
    constexpr std::string_view kPages = "hugepages-2Mi";
    if (!fabric.huge_pages || trainyard::find(*pool().allocatable, kPages) != nullptr) return;
    const Integer* gpus = gpu_count();
    const auto each = Quantity::parse(*fabric.huge_pages);
    if (gpus == nullptr || **gpus < 1 || !each) return;
    add(kPages, multiply(*each, **gpus), fabric.huge_pages.span);
  }

  void counted(const IntegerMap& resources) {
    for (const auto& entry : *resources) {
      if (*entry.value > 0) add(entry.key, Quantity::of(*entry.value), entry.value.span);
    }
  }

  void by_settings(const FabricSettings& fabric) {
    const Integer* gpus = gpu_count();
    const Machine* machine = result_.machine;
    std::int64_t count = gpus == nullptr ? 1 : std::max<std::int64_t>(**gpus, 1);
    // With `flag` each pod takes one, and no more pods than there are GPUs want any.
    if (fabric.count.value_or(FabricCount::One) == FabricCount::PerNic) {
      if (machine == nullptr || !machine->nics) {
        result_.gaps.push_back({fabric.count.span,
                                "it is unknown how many NICs a node of the pool " + name() + " has",
                                "count its devices in the pool's `network.resources`"});
        return;
      }
      count = *machine->nics;
    }
    add(*fabric.resource, Quantity::of(count), fabric.resource.span);
  }

  const ClusterSpec& cluster_;
  const KeepText& keep_;
  PoolOffer& result_;
};

}  // namespace

const Offer* PoolOffer::find(std::string_view resource) const {
  const auto found = std::ranges::find(offers, resource, &Offer::resource);
  return found == offers.end() ? nullptr : &*found;
}

bool PoolOffer::has_gpus() const {
  return std::ranges::any_of(offers, &Offer::gpu);
}

PoolOffer offer_of(const ClusterSpec& cluster, const Pool& pool, const Machine* machine,
                   const KeepText& keep) {
  PoolOffer result;
  result.pool = &pool;
  result.machine = machine;
  Gatherer(cluster, keep, result).all();
  return result;
}

MigStrategy mig_strategy_of(const ClusterSpec& cluster, const Pool& pool) {
  if (pool.gpu->mig_strategy) return *pool.gpu->mig_strategy;
  return cluster.gpu->mig_strategy.value_or(MigStrategy::Single);
}

const Located<Sharing>* sharing_of(const ClusterSpec& cluster, const Pool& pool) {
  if (pool.gpu->sharing) return &pool.gpu->sharing;
  return cluster.gpu->sharing ? &cluster.gpu->sharing : nullptr;
}

GpuAllocation allocation_of(const ClusterSpec& cluster, const Pool& pool) {
  if (pool.gpu->allocation) return *pool.gpu->allocation;
  return cluster.gpu->allocation.value_or(GpuAllocation::DevicePlugin);
}

const MachineCapacity* marks_of(const MachineSpec* cloud, const Pool& pool) {
  if (cloud == nullptr || (!pool.capacity && !pool.reservation)) return nullptr;
  const CapacityKind kind = pool.capacity.value_or(CapacityKind::Reserved);
  const auto found = std::ranges::find_if(*cloud->capacity,
                                          [kind](const auto& each) { return *each->kind == kind; });
  return found == cloud->capacity->end() ? nullptr : &**found;
}

/// NVIDIA/k8s-device-plugin internal/lm/resource.go and mig-strategy.go: with strategy `single`
/// all slices of a node are alike and the label says which they are; it also says that a GPU is
/// shared under its plain name. With `mixed` it names the whole GPU.
std::string product_label(std::string_view gpu, std::string_view slices, bool shared) {
  std::string label(gpu);
  const auto append = [&](const std::string& suffix) {
    if (!label.ends_with(suffix)) label += suffix;
  };
  if (!slices.empty()) append("-MIG-" + plain_profile(slices));
  if (shared) append("-SHARED");
  return label;
}

std::string product_label(const ClusterSpec& cluster, const Pool& pool, std::string_view gpu) {
  const bool may_be_cut = pool.gpu->mig || pool.gpu->mig_strategy || cluster.gpu->mig_strategy;
  const Located<Sharing>* sharing = sharing_of(cluster, pool);
  const bool shared = sharing != nullptr && !(*sharing)->rename_by_default.value_or(false);
  const MigStrategy strategy = mig_strategy_of(cluster, pool);
  // With `mixed` each sort of slices has a label of its own.
  const bool is_single = strategy == MigStrategy::Single;
  if (!may_be_cut || !is_single) return product_label(gpu, {}, shared);
  if (pool.gpu->mig->size() != 1) return {};
  return product_label(gpu, pool.gpu->mig->front().key, shared);
}

std::string plain_profile(std::string_view profile) {
  std::string plain(profile);
  std::replace(plain.begin(), plain.end(), '+', '.');
  return plain;
}

}  // namespace trainyard
