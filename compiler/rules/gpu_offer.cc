#include "rules/gpu_offer.h"

#include <algorithm>

namespace trainyard {

bool has_machine(const Pool& pool, const Machine& machine) {
  if (*pool.machine == *machine.name) return true;
  return std::any_of(machine.aliases->begin(), machine.aliases->end(),
                     [&](const Text& alias) { return *alias == *pool.machine; });
}

MigStrategy mig_strategy(const RuleContext& context, const NodeShape& nodes) {
  if (nodes.pool != nullptr && (*nodes.pool)->gpu->mig_strategy) {
    return *(*nodes.pool)->gpu->mig_strategy;
  }
  // Without a Cluster the request itself says that slices have names of their own.
  if (context.in.cluster == nullptr) return MigStrategy::Mixed;
  return context.in.cluster->spec->gpu->mig_strategy.value_or(MigStrategy::Single);
}

const Located<Sharing>* sharing_of_nodes(const RuleContext& context, const NodeShape& nodes) {
  if (nodes.pool != nullptr && (*nodes.pool)->gpu->sharing) return &(*nodes.pool)->gpu->sharing;
  if (context.in.cluster == nullptr || !context.in.cluster->spec->gpu->sharing) return nullptr;
  return &context.in.cluster->spec->gpu->sharing;
}

GpuSharing effective_sharing(const RuleContext& context, const RoleInput& input) {
  const GpuRequest& gpu = *context.of(input, &RoleFields::gpu);
  if (gpu.sharing) return *gpu.sharing;
  // Slices that go by names of their own are shared only where they are listed for it.
  if (gpu.mig && mig_strategy(context, input.nodes) == MigStrategy::Mixed) {
    return GpuSharing::Exclusive;
  }
  const Located<Sharing>* sharing = sharing_of_nodes(context, input.nodes);
  if (sharing == nullptr) return GpuSharing::Exclusive;
  return *(*sharing)->mode == SharingMode::Mps ? GpuSharing::Mps : GpuSharing::TimeSlicing;
}

bool is_shared(const RuleContext& context, const RoleInput& input) {
  return effective_sharing(context, input) != GpuSharing::Exclusive;
}

bool renamed_when_shared(const RuleContext& context, const NodeShape& nodes) {
  const Located<Sharing>* sharing = sharing_of_nodes(context, nodes);
  return sharing != nullptr && (*sharing)->rename_by_default.value_or(false);
}

const QuantityText* known_gpu_memory(const NodeShape& nodes) {
  if (nodes.pool != nullptr && (*nodes.pool)->gpu->memory) return &(*nodes.pool)->gpu->memory;
  if (nodes.machine != nullptr && nodes.machine->gpu->memory) return &nodes.machine->gpu->memory;
  return nullptr;
}

bool has_part(const RuleContext& context, const RoleInput& input) {
  const GpuRequest& gpu = *context.of(input, &RoleFields::gpu);
  return gpu.fraction.given() || gpu.memory.given();
}

const Integer* listed_slices(const Pool& pool, std::string_view profile) {
  for (const auto& slices : *pool.gpu->mig) {
    if (plain_profile(slices.key) == plain_profile(profile)) return &slices.value;
  }
  return nullptr;
}

bool may_offer_slices(const RuleContext& context, const Pool& pool, std::string_view profile) {
  if (pool.gpu->mig) {
    const Integer* slices = listed_slices(pool, profile);
    return slices != nullptr && **slices > 0;
  }
  const ClusterSpec& cluster = *context.in.cluster->spec;
  const auto lists = [](const Located<Pool>& other) { return other->gpu->mig.given(); };
  if (!pool.gpu->mig_strategy && std::any_of(cluster.pools->begin(), cluster.pools->end(), lists)) {
    return false;
  }
  const auto& said = pool.gpu->mig_strategy ? pool.gpu->mig_strategy : cluster.gpu->mig_strategy;
  return said && *said != MigStrategy::None;
}

std::string product_label(const RuleContext& context, const RoleInput& input,
                          std::string_view gpu) {
  const Text& mig = context.of(input, &RoleFields::gpu)->mig;
  const bool mixed = mig && mig_strategy(context, input.nodes) == MigStrategy::Mixed;
  const bool shared =
      !mixed && is_shared(context, input) && !renamed_when_shared(context, input.nodes);
  return product_label(gpu, mig && !mixed ? *mig : std::string_view(), shared);
}

}  // namespace trainyard
