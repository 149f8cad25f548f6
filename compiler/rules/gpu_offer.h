#pragma once

#include <string>
#include <string_view>

#include "capacity/offer.h"
#include "rules/rule_context.h"

namespace trainyard {

/// True when the pool's machine is this one, by name or alias.
bool has_machine(const Pool& pool, const Machine& machine);

/// How nodes offer their GPUs: as their pool says, else the Cluster.
MigStrategy mig_strategy(const RuleContext& context, const NodeShape& nodes);

/// Who says that GPUs are shared; null when none does.
const Located<Sharing>* sharing_of_nodes(const RuleContext& context, const NodeShape& nodes);

/// How the role's pods get GPUs: as they ask for, else as the nodes share them.
GpuSharing effective_sharing(const RuleContext& context, const RoleInput& input);
bool is_shared(const RuleContext& context, const RoleInput& input);
bool renamed_when_shared(const RuleContext& context, const NodeShape& nodes);

/// Memory of one GPU of these nodes; null when it is not known.
const QuantityText* known_gpu_memory(const NodeShape& nodes);

/// Whether pods ask for a part of a GPU instead of whole ones.
bool has_part(const RuleContext& context, const RoleInput& input);

/// Slices of a profile on a node of this pool; null when the pool does not list it.
const Integer* listed_slices(const Pool& pool, std::string_view profile);

/// True when the GPUs of a pool may be cut into such slices: it lists them, or lists none and has a
/// strategy of its own, or no pool lists any and the Cluster has one.
bool may_offer_slices(const RuleContext& context, const Pool& pool, std::string_view profile);

/// The label `nvidia.com/gpu.product` of nodes with GPUs `gpu` that offer what the role asks for.
std::string product_label(const RuleContext& context, const RoleInput& input, std::string_view gpu);

}  // namespace trainyard
