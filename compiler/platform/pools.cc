#include "platform/pools.h"

#include <algorithm>

#include "rules/gpu_offer.h"

namespace trainyard {
namespace {

constexpr std::string_view kGpu = "nvidia.com/gpu";

/// Gathers what a node offers; what was said first counts.
class Gatherer {
 public:
  Gatherer(PlatformContext& context, PoolOffer& result) : context_(context), result_(result) {}

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
  const ClusterSpec& cluster() const { return context_.cluster; }

  void add(std::string_view resource, std::optional<Quantity> amount, Span place,
           bool gpu = false) {
    if (!amount || result_.find(resource) != nullptr) return;
    result_.offers.push_back({resource, *amount, gpu, place});
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
    return std::string(cluster().gpu->resource.value_or(kGpu));
  }

  void add_gpus(const std::string& resource, std::int64_t count, Span place) {
    if (count == 0) return;
    const std::string_view name = context_.text(resource);
    // A site that counts them itself knows better.
    const auto* own = trainyard::find(*pool().allocatable, name);
    add(name, own == nullptr ? Quantity::of(count) : Quantity::parse(**own),
        own == nullptr ? place : own->span, true);
  }

  void gpus() {
    if (cluster().gpu->allocation.value_or(GpuAllocation::DevicePlugin) == GpuAllocation::Dra) {
      return;  // claims, which no quota of these systems counts
    }
    const MigStrategy strategy = mig_strategy_of(cluster(), pool());
    const auto& slices = pool().gpu->mig;
    if (strategy == MigStrategy::Mixed && slices) {
      for (const auto& entry : *slices) {
        add_gpus("nvidia.com/mig-" + plain_profile(entry.key), *entry.value, entry.value.span);
      }
      return;
    }
    const auto& own_strategy = pool().gpu->mig_strategy;
    if (own_strategy && *own_strategy != MigStrategy::None && !slices) {
      context_
          .report(
              DiagnosticKind::MissingFact, own_strategy.span,
              "nobody says how many slices a node of the pool " + code(*pool().name) + " offers")
          .note("count them by profile in the pool's `gpu.mig`");
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
    if (const Located<Sharing>* sharing = sharing_of(cluster(), pool())) {
      count *= *(*sharing)->replicas;
      if ((*sharing)->rename_by_default.value_or(false)) resource += ".shared";
      place = sharing->span;
    }
    add_gpus(resource, count, place);
  }

  /// Devices of the fabric: as the pool counts them, else as the cluster's fabric hands them out,
  /// else as the machine is known to.
  void devices() {
    if (pool().network->resources) return counted(pool().network->resources);
    const Machine* machine = result_.machine;
    Text fabric = pool().network->fabric;
    if (!fabric && machine != nullptr) fabric = machine->fabric;
    const auto* settings = fabric ? trainyard::find(*cluster().network->fabrics, *fabric) : nullptr;
    if (settings != nullptr && (*settings)->claims.value_or(false)) return;
    if (settings != nullptr && (*settings)->resource) return by_settings(**settings);
    if (machine != nullptr) counted(machine->resources);
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
        context_
            .report(DiagnosticKind::MissingFact, fabric.count.span,
                    "nobody knows how many NICs a node of the pool " + code(*pool().name) + " has")
            .note("count its devices in the pool's `network.resources`");
        return;
      }
      count = *machine->nics;
    }
    add(*fabric.resource, Quantity::of(count), fabric.resource.span);
  }

  PlatformContext& context_;
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

PoolOffer offer_of(PlatformContext& context, const Pool& pool) {
  PoolOffer result;
  result.pool = &pool;
  result.machine = context.in.machines->find(*pool.machine);
  Gatherer(context, result).all();
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

std::vector<NamedValue> labels_of(PlatformContext& context, const PoolOffer& offer) {
  const Pool& pool = *offer.pool;
  std::vector<NamedValue> result;
  if (pool.labels) {
    result = context.given(pool.labels);
  } else if (offer.machine != nullptr) {
    result = context.given(offer.machine->node_selector);
    const bool single = mig_strategy_of(context.cluster, pool) == MigStrategy::Single;
    const bool one_profile = single && pool.gpu->mig->size() == 1;
    const Located<Sharing>* sharing = sharing_of(context.cluster, pool);
    const bool shared = sharing != nullptr && !(*sharing)->rename_by_default.value_or(false);
    for (NamedValue& label : result) {
      if (label.name != kProductLabel) continue;
      const std::string_view slices = one_profile ? pool.gpu->mig->front().key : "";
      label.value = context.text(product_label(label.value, slices, shared));
    }
  }
  if (pool.zone) {
    constexpr std::string_view kZone = "topology.kubernetes.io/zone";
    const bool known = std::ranges::find(result, kZone, &NamedValue::name) != result.end();
    if (!known) result.push_back({kZone, *pool.zone, context.from(pool.zone.span)});
  }
  return result;
}

}  // namespace trainyard
