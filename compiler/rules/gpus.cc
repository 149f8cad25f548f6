#include <string>

#include "rules/device_claims.h"
#include "rules/gpu_offer.h"
#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

constexpr std::string_view kGpu = "nvidia.com/gpu";

/// Where no machine is known: the largest have 16, a DGX-2, `p2.16xlarge`, `a2-megagpu-16g`.
void check_is_of_one_node(RuleContext& context, const RoleInput& input, const Integer& wanted) {
  constexpr std::int64_t kMost = 16;
  if (*wanted <= kMost || is_shared(context, input) || has_part(context, input)) return;
  context
      .report(DiagnosticKind::RunsWrong, wanted.span,
              std::to_string(*wanted) + " GPUs for each pod: no known machine has more than " +
                  std::to_string(kMost) + ", and the pods stay Pending")
      .note("`gpusPerNode` counts the GPUs of one node, `nodes` the nodes");
}

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
  if (available == nullptr && wanted && !slices) check_is_of_one_node(context, input, wanted);
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

/// What a claim has no words for, or we do not have the words of.
bool can_be_claimed(RuleContext& context, const RoleInput& input,
                    const Located<GpuAllocation>& by) {
  const GpuRequest& gpu = *context.of(input, &RoleFields::gpu);
  const auto refuse = [&](Span where, const std::string& what, std::string_view because) {
    context
        .report(DiagnosticKind::NotExpressible, where,
                "target " + code(context.in.target->name) + " cannot express " + what)
        .also(by.span, "a DRA driver hands them out")
        .note(std::string(because));
    return false;
  };
  const Span gpus = context.place(input.role->gpus.origin);
  if (!context.in.target->pod_template) {
    return refuse(gpus.known() ? gpus : by.span, "claims for GPUs",
                  "its workloads count GPUs of a device plugin");
  }
  if (gpu.resource) {
    return refuse(gpu.resource.span, "GPUs by the name of a resource",
                  "a claim names a class of devices");
  }
  if (is_shared(context, input)) {
    return refuse(gpu.sharing ? gpu.sharing.span : by.span, "claims for shared GPUs",
                  "their settings belong to each claim and are not written yet");
  }
  return true;
}

void claim(RuleContext& context, RoleInput& input, const Located<GpuAllocation>& by) {
  if (!can_be_claimed(context, input, by)) return;
  Role& role = *input.role;
  const GpuRequest& gpu = *context.of(input, &RoleFields::gpu);
  DeviceClaimPlan made;
  made.origin = context.because({role.gpus.origin, context.from(gpu.mig), context.from(by)});
  made.device_class = gpu.mig ? kSliceClass : kGpuClass;
  // The profile is an attribute of a slice: NVIDIA/k8s-dra-driver-gpu cmd/gpu-kubelet-plugin.
  if (gpu.mig) {
    made.selector = context.text("device.attributes['gpu.nvidia.com'].profile == '", *gpu.mig, "'");
  }
  made.count = *role.gpus;
  made.name = context.roles.size() == 1 ? context.text(*context.plan.name, "-gpus")
                                        : context.text(*context.plan.name, "-", role.name, "-gpus");
  context.set(role.gpu_class, made.device_class, made.origin);
  add_claim(context, role, "gpus", made.name, made.origin);
  add_claim_template(context, made);
}

void request(RuleContext& context, RoleInput& input) {
  Role& role = *input.role;
  if (*role.gpus == 0 || has_part(context, input)) return;
  if (const auto* by = claims_of_gpus(context, input.nodes)) return claim(context, input, *by);
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
  if (*input.role->gpus == 0 && !gpu.mig) return;  // such as a parameter server beside workers
  const Text* product = gpu.product ? &gpu.product : gpu_of_slices(context, input);
  if (product == nullptr) return;
  context.add(input.role->node_selector, kProductLabel,
              context.text(product_label(context, input, **product)),
              context.because({context.from(*product), context.from(gpu.mig)}));
}

void select_sharing(RuleContext& context, RoleInput& input) {
  const GpuRequest& gpu = *context.of_training(input, &RoleFields::gpu);
  if (gpu.sharing.value_or(GpuSharing::Exclusive) == GpuSharing::Exclusive) return;
  if (*input.role->gpus == 0) return;
  context.add(input.role->node_selector, "nvidia.com/gpu.sharing-strategy", spelling(*gpu.sharing),
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
    "GPUs are requested whole under the name the device plugin gives them, request equal to limit; "
    "or claimed, where a DRA driver hands them out.",
    "Kubernetes refuses an extended resource whose request and limit differ (kubernetes/kubernetes "
    "pkg/apis/core/validation/validation.go); MIG slices and shared GPUs have other names "
    "(NVIDIA/k8s-device-plugin README.md). One node gives out GPUs in one of the two ways, never "
    "in "
    "both.",
    "spec.gpusPerNode spec.gpu role.nodes cluster.gpu.resource cluster.gpu.migStrategy "
    "cluster.gpu.sharing cluster.gpu.allocation cluster.pools.gpu cluster.pools.labels machine.gpu "
    "cluster.kubernetes plan.name target.pod",
    "role.gpus role.gpuResource role.gpuClass role.requests role.limits role.nodeSelector "
    "role.resourceClaims role.claims plan.deviceClaims plan.claimsApi",
    run};

}  // namespace trainyard
