#include <algorithm>
#include <string>

#include "rules/context.h"
#include "rules/gpu_offer.h"
#include "rules/rule.h"

namespace trainyard {
namespace {

constexpr std::string_view kGpu = "nvidia.com/gpu";

void count(RuleContext& context, RoleInput& input) {
  const Integer& wanted = context.of(input, &RoleFields::gpus_per_node);
  const Integer* available = input.nodes.gpus();
  const bool slices = context.of(input, &RoleFields::gpu)->mig.given();
  const bool own = input.own != nullptr && input.own->gpus_per_node;
  if (!input.role->trains && !own) {
    context.set(input.role->gpus, std::int64_t{0}, context.because({}));
    return;
  }
  if (wanted) {
    context.set(input.role->gpus, *wanted, context.from(wanted));
  } else if (available != nullptr && !slices && !has_part(context, input)) {
    context.set(input.role->gpus, **available, context.because({context.from(*available)}));
  } else {
    context.set(input.role->gpus, std::int64_t{1}, context.by_default("spec.gpusPerNode"));
  }
  if (!wanted || available == nullptr || slices || *wanted <= **available) return;
  const std::string_view machine =
      input.nodes.machine == nullptr ? *(*input.nodes.pool)->name : *input.nodes.machine->name;
  context
      .report(DiagnosticKind::GpusExceedMachine, wanted.span,
              std::to_string(*wanted) + " GPUs per node, but " + code(machine) + " has " +
                  std::to_string(**available))
      .also(context.machine_place(input), "the machine");
}

const Text* named_resource(const RuleContext& context, const RoleInput& input) {
  const Text& own = context.of(input, &RoleFields::gpu)->resource;
  if (own) return &own;
  if (input.nodes.machine != nullptr && input.nodes.machine->gpu->resource) {
    return &input.nodes.machine->gpu->resource;
  }
  if (context.in.cluster != nullptr && context.in.cluster->spec->gpu->resource) {
    return &context.in.cluster->spec->gpu->resource;
  }
  return nullptr;
}

/// The extended resource, as the device plugin names it: NVIDIA/k8s-device-plugin
/// internal/resource, where the `+` of a profile becomes a dot.
std::string resource_name(RuleContext& context, const RoleInput& input) {
  const GpuRequest& gpu = *context.of(input, &RoleFields::gpu);
  const Text* named = named_resource(context, input);
  std::string name(named == nullptr ? kGpu : **named);
  if (gpu.mig && mig_strategy(context, input.nodes) == MigStrategy::Mixed) {
    name = "nvidia.com/mig-" + plain_profile(*gpu.mig);
  }
  if (is_shared(context, input) && renamed_when_shared(context, input.nodes)) name += ".shared";
  return name;
}

/// Claims for whole GPUs are not written in this version.
void check_allocation(RuleContext& context) {
  if (context.in.cluster == nullptr) return;
  const auto& allocation = context.in.cluster->spec->gpu->allocation;
  if (allocation.value_or(GpuAllocation::DevicePlugin) != GpuAllocation::Dra) return;
  context
      .report(DiagnosticKind::NotExpressible, allocation.span,
              "target " + code(context.in.target->name) +
                  " does not write yet: claims for the GPUs that a DRA driver hands out")
      .note("without them the pods would wait for a device plugin that is not there");
}

void request(RuleContext& context, RoleInput& input) {
  Role& role = *input.role;
  if (*role.gpus == 0 || has_part(context, input)) return;
  const GpuRequest& gpu = *context.of(input, &RoleFields::gpu);
  const OriginId origin = context.because({role.gpus.origin, context.from(gpu.mig),
                                           context.from(gpu.resource), context.from(gpu.sharing)});
  const std::string_view name = context.text(resource_name(context, input));
  const std::string_view amount = context.number(*role.gpus);
  context.set(role.gpu_resource, name, origin);
  context.add(role.requests, name, amount, origin);
  context.add(role.limits, name, amount, origin);
}

/// What is known of the name of the nodes' GPUs, where nothing else of the pool tells its slices
/// from whole GPUs.
const Text* gpu_of_slices(const RuleContext& context, const RoleInput& input) {
  const GpuRequest& gpu = *context.of(input, &RoleFields::gpu);
  if (!gpu.mig || mig_strategy(context, input.nodes) != MigStrategy::Single) return nullptr;
  if (input.nodes.pool != nullptr) {
    const Pool& pool = **input.nodes.pool;
    if (pool.labels && listed_slices(pool, *gpu.mig) != nullptr) return nullptr;
    if (pool.gpu->product) return &pool.gpu->product;
  }
  if (input.nodes.machine == nullptr) return nullptr;
  const Text& product = input.nodes.machine->gpu->product;
  return product ? &product : nullptr;
}

void select_product(RuleContext& context, RoleInput& input) {
  const GpuRequest& gpu = *context.of_training(input, &RoleFields::gpu);
  const Text* product = gpu.product ? &gpu.product : gpu_of_slices(context, input);
  if (product == nullptr) return;
  context.add(input.role->node_selector, kProductLabel,
              context.text(product_label(context, input, **product)),
              context.because({context.from(*product), context.from(gpu.mig)}));
}

void select_sharing(RuleContext& context, RoleInput& input) {
  const GpuRequest& gpu = *context.of_training(input, &RoleFields::gpu);
  if (gpu.sharing.value_or(GpuSharing::Exclusive) == GpuSharing::Exclusive) return;
  const std::string_view word = words(GpuSharing{})[static_cast<std::size_t>(*gpu.sharing)];
  context.add(input.role->node_selector, "nvidia.com/gpu.sharing-strategy", word,
              context.because({context.from(gpu.sharing)}));
}

void run(RuleContext& context) {
  const auto& roles = context.roles;
  const auto has_gpus = [](const RoleInput& input) { return *input.role->gpus > 0; };
  for (RoleInput& input : context.roles) {
    count(context, input);
    request(context, input);
    select_product(context, input);
    select_sharing(context, input);
  }
  if (std::any_of(roles.begin(), roles.end(), has_gpus)) check_allocation(context);
}

}  // namespace

extern const Rule gpus_rule{
    "gpus",
    Rule::Phase::Infer,
    "GPUs are requested whole under the name the device plugin gives them; request equals limit.",
    "Kubernetes refuses an extended resource whose request and limit differ (kubernetes/kubernetes "
    "pkg/apis/core/validation/validation.go); MIG slices and shared GPUs have other names "
    "(NVIDIA/k8s-device-plugin README.md).",
    "spec.gpusPerNode spec.gpu role.nodes cluster.gpu.resource cluster.gpu.migStrategy "
    "cluster.gpu.sharing cluster.gpu.allocation cluster.pools.gpu cluster.pools.labels machine.gpu",
    "role.gpus role.gpuResource role.requests role.limits role.nodeSelector",
    run};

}  // namespace trainyard
