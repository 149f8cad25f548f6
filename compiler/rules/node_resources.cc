#include <optional>
#include <string>

#include "rules/context.h"
#include "rules/gpu_offer.h"
#include "rules/rule.h"
#include "tree/quantity.h"

namespace trainyard {
namespace {

constexpr std::int64_t kWholeNodeTenths = 9;  // the rest is for the system and its DaemonSets

struct Amount {
  std::string_view resource;
  const QuantityText* request = nullptr;
  const QuantityText* limit = nullptr;
};

bool takes_whole_node(const RuleContext& context, const RoleInput& input) {
  if (context.of(input, &RoleFields::gpu)->mig || is_shared(context, input) ||
      has_part(context, input)) {
    return false;
  }
  const Machine* machine = input.nodes.machine;
  return machine != nullptr && machine->gpu->count && *input.role->gpus > 0 &&
         *input.role->gpus == *machine->gpu->count;
}

void add_amount(RuleContext& context, Role& role, const Amount& amount) {
  if (*amount.request) {
    context.add(role.requests, amount.resource, **amount.request, context.from(*amount.request));
  }
  const QuantityText& limit = *amount.limit ? *amount.limit : *amount.request;
  if (!limit) return;
  context.add(role.limits, amount.resource, *limit, context.from(limit));
  if (!*amount.limit || !*amount.request) return;
  const auto most = Quantity::parse(*limit);
  const auto least = Quantity::parse(**amount.request);
  if (!most || !least || *most >= *least) return;
  context
      .report(DiagnosticKind::LimitBelowRequest, limit.span,
              "the limit " + code(*limit) + " is below the request " + code(**amount.request))
      .also(amount.request->span, "the request");
}

/// How much of a resource a node has.
struct NodeAmount {
  QuantityText amount;
  bool for_pods = false;  // without what the system takes
  bool of_pool = false;   // as the pool says
};

/// What its pool says, else what is known of its machine.
NodeAmount node_amount(const NodeShape& nodes, std::string_view resource) {
  if (nodes.pool != nullptr) {
    if (const QuantityText* own = find(*(*nodes.pool)->allocatable, resource)) {
      return {*own, true, true};
    }
  }
  if (nodes.machine == nullptr) return {};
  const Machine& machine = *nodes.machine;
  const bool memory = resource == "memory";
  const QuantityText& left = memory ? machine.allocatable->memory : machine.allocatable->cpu;
  if (left) return {left, true, false};
  return {memory ? machine.memory : machine.cpu, false, false};
}

/// Nine tenths of what the machine has, rounded down to whole CPUs or gibibytes.
std::optional<std::string> whole_node_share(const QuantityText& machine, bool memory) {
  if (!machine) return std::nullopt;
  const auto all = Quantity::parse(*machine);
  if (!all) return std::nullopt;
  const auto units = all->whole_units();
  if (!units) return std::nullopt;
  constexpr std::int64_t kGibi = 1024 * 1024 * 1024;
  if (!memory) return std::to_string(*units / 10 * kWholeNodeTenths + *units % 10 * 9 / 10);
  return std::to_string(*units / kGibi * kWholeNodeTenths / 10) + "Gi";
}

void whole_node_default(RuleContext& context, RoleInput& input, std::string_view resource,
                        const QuantityText& given, const QuantityText& machine) {
  if (given || !takes_whole_node(context, input)) return;
  const auto share = whole_node_share(machine, resource == "memory");
  if (!share) return;
  const OriginId origin = context.because({context.from(machine), input.role->gpus.origin});
  const std::string_view amount = context.text(*share);
  context.add(input.role->requests, resource, amount, origin);
  context.add(input.role->limits, resource, amount, origin);
}

/// The amount in the unit of the other one, where people would have to reckon: `, that is 1892Gi`.
std::string in_unit_of(const QuantityText& wanted, const QuantityText& known, const Quantity& all) {
  constexpr std::int64_t kGibi = 1024 * 1024 * 1024;
  if (!wanted->ends_with("Gi") || known->ends_with("Gi")) return {};
  const auto bytes = all.whole_units();
  return bytes ? ", that is " + std::to_string(*bytes / kGibi) + "Gi" : std::string();
}

void check_against_machine(RuleContext& context, const RoleInput& input, const QuantityText& wanted,
                           const NodeAmount& node) {
  if (!wanted || !node.amount) return;
  const auto asked = Quantity::parse(*wanted);
  const auto all = Quantity::parse(*node.amount);
  if (!asked || !all || *asked < *all || (node.for_pods && *asked == *all)) return;
  const std::string owner = node.of_pool
                                ? "those of the pool " + code(*(*input.nodes.pool)->name) + " have "
                                : code(*input.nodes.machine->name) + " has ";
  Diagnostic& report = context.report(
      DiagnosticKind::ExceedsMachine, wanted.span,
      code(*wanted) + " does not fit a node: " + owner + code(*node.amount) +
          in_unit_of(wanted, node.amount, *all) +
          (node.for_pods ? " for pods" : " in all, and the system needs a part of it"));
  if (node.of_pool) {
    report.also(node.amount.span, "what its nodes have");
  } else {
    report.also(context.machine_place(input), "the machine");
  }
}

void amounts(RuleContext& context, RoleInput& input) {
  const Resources& wanted = *context.of_training(input, &RoleFields::resources);
  const ResourceLimits& limits = *wanted.limits;
  Role& role = *input.role;
  add_amount(context, role, {"cpu", &wanted.cpu, &limits.cpu});
  add_amount(context, role, {"memory", &wanted.memory, &limits.memory});
  add_amount(context, role,
             {"ephemeral-storage", &wanted.ephemeral_storage, &limits.ephemeral_storage});
  for (const auto& entry : *wanted.extended) {
    const OriginId origin = context.from(entry.value);
    context.add(role.requests, entry.key, *entry.value, origin);
    context.add(role.limits, entry.key, *entry.value, origin);
  }
  if (input.nodes.machine != nullptr) {
    const NodeAmount cpu = node_amount(input.nodes, "cpu");
    const NodeAmount memory = node_amount(input.nodes, "memory");
    check_against_machine(context, input, wanted.cpu, cpu);
    check_against_machine(context, input, wanted.memory, memory);
    whole_node_default(context, input, "cpu", wanted.cpu, cpu.amount);
    whole_node_default(context, input, "memory", wanted.memory, memory.amount);
  }
}

void run(RuleContext& context) {
  for (RoleInput& input : context.roles) amounts(context, input);
}

}  // namespace

extern const Rule node_resources_rule{
    "node-resources",
    Rule::Phase::Infer,
    "CPU, memory and disk are requested as given, or as the machine has them to give to a pod that "
    "takes all its GPUs.",
    "A pod without requests is the first to be evicted, and the scheduler puts others beside it.",
    "spec.resources spec.gpu role.nodes role.gpus cluster.pools cluster.gpu.migStrategy "
    "cluster.gpu.sharing machine",
    "role.requests role.limits",
    run};

}  // namespace trainyard
