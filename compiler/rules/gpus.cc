#include <string>

#include "rules/context.h"
#include "rules/rule.h"

namespace trainyard {
namespace {

constexpr std::string_view kGpu = "nvidia.com/gpu";

void count(RuleContext& context, RoleInput& input) {
  const Integer& wanted = context.of(input, &RoleFields::gpus_per_node);
  const Integer* available = input.nodes.gpus();
  const bool slices = context.of(input, &RoleFields::gpu)->mig.given();
  if (wanted) {
    context.set(input.role->gpus, *wanted, context.from(wanted));
  } else if (available != nullptr && !slices) {
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

MigStrategy mig_strategy(const RuleContext& context, const NodeShape& nodes) {
  if (nodes.pool != nullptr && (*nodes.pool)->gpu->mig_strategy) {
    return *(*nodes.pool)->gpu->mig_strategy;
  }
  // Without a Cluster the request itself says that slices have names of their own.
  if (context.in.cluster == nullptr) return MigStrategy::Mixed;
  return context.in.cluster->spec->gpu->mig_strategy.value_or(MigStrategy::Single);
}

bool renamed_when_shared(const RuleContext& context, const NodeShape& nodes) {
  if (nodes.pool != nullptr && (*nodes.pool)->gpu->sharing) {
    return (*nodes.pool)->gpu->sharing->rename_by_default.value_or(false);
  }
  if (context.in.cluster == nullptr) return false;
  return context.in.cluster->spec->gpu->sharing->rename_by_default.value_or(false);
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

bool is_shared(const GpuRequest& gpu) {
  return gpu.sharing.value_or(GpuSharing::Exclusive) != GpuSharing::Exclusive;
}

/// The extended resource, as the device plugin names it: NVIDIA/k8s-device-plugin
/// internal/resource, where the `+` of a profile becomes a dot.
std::string resource_name(RuleContext& context, const RoleInput& input) {
  const GpuRequest& gpu = *context.of(input, &RoleFields::gpu);
  const Text* named = named_resource(context, input);
  std::string name(named == nullptr ? kGpu : **named);
  if (gpu.mig && mig_strategy(context, input.nodes) == MigStrategy::Mixed) {
    std::string profile(*gpu.mig);
    for (char& c : profile) c = c == '+' ? '.' : c;
    name = "nvidia.com/mig-" + profile;
  }
  if (is_shared(gpu) && renamed_when_shared(context, input.nodes)) name += ".shared";
  return name;
}

void request(RuleContext& context, RoleInput& input) {
  Role& role = *input.role;
  if (*role.gpus == 0) return;
  const GpuRequest& gpu = *context.of(input, &RoleFields::gpu);
  const OriginId origin = context.because({role.gpus.origin, context.from(gpu.mig),
                                           context.from(gpu.resource), context.from(gpu.sharing)});
  const std::string_view name = context.text(resource_name(context, input));
  const std::string_view amount = context.number(*role.gpus);
  context.add(role.requests, name, amount, origin);
  context.add(role.limits, name, amount, origin);
}

/// With strategy `single` all slices of a node are alike and go by the plain name; the product
/// label says which they are, and also that a GPU is shared under its plain name
/// (NVIDIA/k8s-device-plugin docs/gpu-feature-discovery/README.md).
void select_product(RuleContext& context, RoleInput& input) {
  const GpuRequest& gpu = *context.of(input, &RoleFields::gpu);
  if (!gpu.product) return;
  const bool single = gpu.mig && mig_strategy(context, input.nodes) == MigStrategy::Single;
  std::string product(*gpu.product);
  if (single) product += "-MIG-" + std::string(*gpu.mig);
  if (is_shared(gpu) && !renamed_when_shared(context, input.nodes)) product += "-SHARED";
  context.add(input.role->node_selector, "nvidia.com/gpu.product", context.text(product),
              context.because({context.from(gpu.product), context.from(gpu.mig)}));
}

void select_sharing(RuleContext& context, RoleInput& input) {
  const GpuRequest& gpu = *context.of(input, &RoleFields::gpu);
  if (!is_shared(gpu)) return;
  const std::string_view word = words(GpuSharing{})[static_cast<std::size_t>(*gpu.sharing)];
  context.add(input.role->node_selector, "nvidia.com/gpu.sharing-strategy", word,
              context.because({context.from(gpu.sharing)}));
}

void run(RuleContext& context) {
  for (RoleInput& input : context.roles) {
    count(context, input);
    request(context, input);
    select_product(context, input);
    select_sharing(context, input);
  }
}

}  // namespace

extern const Rule gpus_rule{
    "gpus",
    Rule::Phase::Infer,
    "GPUs are requested whole under the name the device plugin gives them; request equals limit.",
    "Kubernetes refuses an extended resource whose request and limit differ (kubernetes/kubernetes "
    "pkg/apis/core/validation/validation.go); MIG slices and shared GPUs have other names "
    "(NVIDIA/k8s-device-plugin README.md).",
    "spec.gpusPerNode spec.gpu role.nodes cluster.gpu cluster.pools machine.gpu",
    "role.gpus role.requests role.limits role.nodeSelector",
    run};

}  // namespace trainyard
