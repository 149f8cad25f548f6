#include <optional>
#include <string>

#include "rules/context.h"
#include "rules/rule.h"

namespace trainyard {
namespace {

/// GPUs or slices of one node of the pool, under the name that this role asks for.
std::optional<std::int64_t> devices_of_node(const RuleContext& context, const RoleInput& input) {
  const GpuRequest& gpu = *context.of(input, &RoleFields::gpu);
  if (gpu.sharing.value_or(GpuSharing::Exclusive) != GpuSharing::Exclusive) return std::nullopt;
  if (gpu.mig) {
    const Integer* slices = find(*(*input.nodes.pool)->gpu->mig, *gpu.mig);
    return slices == nullptr ? std::nullopt : std::optional(**slices);
  }
  const Integer* gpus = input.nodes.gpus();
  return gpus == nullptr ? std::nullopt : std::optional(**gpus);
}

void check(RuleContext& context, const RoleInput& input) {
  if (input.nodes.pool == nullptr || *input.role->gpus == 0) return;
  const Integer& nodes = (*input.nodes.pool)->count;
  const auto devices = devices_of_node(context, input);
  if (!nodes || !devices || *devices < *input.role->gpus) return;

  const std::int64_t pods_per_node = *devices / *input.role->gpus;
  const std::int64_t pods = *input.role->replicas;
  if (pods <= *nodes * pods_per_node) return;
  const std::string_view pool = *(*input.nodes.pool)->name;
  context
      .report(DiagnosticKind::ExceedsPool, context.place(input.role->replicas.origin),
              std::to_string(pods) + (pods == 1 ? " pod" : " pods") + " of " +
                  std::to_string(*input.role->gpus) + " GPUs do not fit the pool " + code(pool))
      .also(nodes.span, "room for " + std::to_string(*nodes * pods_per_node) + " such pods")
      .note("the job would stay Pending for ever; what other jobs use is not counted here");
}

void run(RuleContext& context) {
  for (const RoleInput& input : context.roles) check(context, input);
}

}  // namespace

extern const Rule capacity_check_rule{
    "capacity-check",
    Rule::Phase::Check,
    "No job asks for more nodes than its pool has, counted node by node.",
    "A sum over the cluster passes a job whose pods fit no single node; a pod that never fits "
    "stays "
    "Pending without an error.",
    "spec.gpu cluster.pools machine.gpu role.nodes role.gpus role.replicas",
    "",
    run};

}  // namespace trainyard
