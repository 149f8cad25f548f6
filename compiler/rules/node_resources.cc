#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "rules/added_containers.h"
#include "rules/gpu_offer.h"
#include "rules/rule.h"
#include "rules/rule_context.h"
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

/// Nine tenths of what the machine has, without what other containers of the pod request, rounded
/// down to whole CPUs or gibibytes; nothing when that leaves none.
std::optional<std::string> whole_node_share(const QuantityText& machine, bool memory,
                                            const AddedRequest* beside) {
  if (!machine) return std::nullopt;
  const auto all = Quantity::parse(*machine);
  if (!all) return std::nullopt;
  const auto units = all->whole_units();
  if (!units) return std::nullopt;
  constexpr std::int64_t kGibi = 1024 * 1024 * 1024;
  const std::int64_t unit = memory ? kGibi : 1;
  std::int64_t share = memory ? *units / kGibi * kWholeNodeTenths / 10
                              : *units / 10 * kWholeNodeTenths + *units % 10 * 9 / 10;
  if (beside != nullptr) {
    const auto taken = beside->amount.whole_units();
    if (!taken || *taken / unit >= share) return std::nullopt;
    share -= (*taken + unit - 1) / unit;
  }
  if (share <= 0) return std::nullopt;
  return std::to_string(share) + (memory ? "Gi" : "");
}

/// What a pod asks for of one resource, and what its node has.
struct Ask {
  std::string_view resource;
  const QuantityText& wanted;  // for the container that trains
  const AddedRequest* beside;  // for others of the pod; may be null
  const NodeAmount node;
};

void whole_node_default(RuleContext& context, RoleInput& input, const Ask& ask) {
  if (ask.wanted || !takes_whole_node(context, input)) return;
  const auto share = whole_node_share(ask.node.amount, ask.resource == "memory", ask.beside);
  if (!share) return;
  OriginId origin = context.because({context.from(ask.node.amount), input.role->gpus.origin});
  if (ask.beside != nullptr) {
    origin = context.because(
        {context.from(ask.node.amount), input.role->gpus.origin, context.from(ask.beside->place)});
  }
  const std::string_view amount = context.text(*share);
  context.add(input.role->requests, ask.resource, amount, origin);
  context.add(input.role->limits, ask.resource, amount, origin);
}

/// The amount in the unit of the other one, where people would have to reckon: `, that is 1892Gi`.
std::string in_unit_of(std::string_view wanted, const QuantityText& known, const Quantity& all) {
  constexpr std::int64_t kGibi = 1024 * 1024 * 1024;
  if (!wanted.ends_with("Gi") || known->ends_with("Gi")) return {};
  const auto bytes = all.whole_units();
  return bytes ? ", that is " + std::to_string(*bytes / kGibi) + "Gi" : std::string();
}

/// What the pod asks for in all, with its parts where there are several.
std::string sum_of(const Ask& ask, const Quantity& all) {
  if (ask.beside == nullptr) return code(*ask.wanted) + " does not";
  const std::string others = code(ask.beside->amount.text());
  if (!ask.wanted) return others + " of other containers of the pod does not";
  return code(*ask.wanted) + " and " + others + " of other containers of the pod, together " +
         code(all.text()) + ", do not";
}

void check_against_machine(RuleContext& context, const RoleInput& input, const Ask& ask) {
  const NodeAmount& node = ask.node;
  if ((!ask.wanted && ask.beside == nullptr) || !node.amount) return;
  auto asked = ask.wanted ? Quantity::parse(*ask.wanted) : std::optional(Quantity());
  if (asked && ask.beside != nullptr) asked = add(*asked, ask.beside->amount);
  const auto all = Quantity::parse(*node.amount);
  if (!asked || !all || *asked < *all || (node.for_pods && *asked == *all)) return;
  const std::string owner = node.of_pool
                                ? "those of the pool " + code(*(*input.nodes.pool)->name) + " have "
                                : code(*input.nodes.machine->name) + " has ";
  Diagnostic& report = context.report(
      DiagnosticKind::ExceedsMachine, ask.wanted ? ask.wanted.span : ask.beside->place,
      sum_of(ask, *asked) + " fit a node: " + owner + code(*node.amount) +
          in_unit_of(ask.wanted ? *ask.wanted : asked->text(), node.amount, *all) +
          (node.for_pods ? " for pods" : " in all, and the system needs a part of it"));
  if (node.of_pool) {
    report.also(node.amount.span, "what its nodes have");
  } else {
    report.also(context.machine_place(input), "the machine");
  }
  if (ask.beside != nullptr && ask.wanted) report.also(ask.beside->place, "beside it in the pod");
}

Ask ask_for(std::string_view resource, const QuantityText& wanted, const NodeShape& nodes,
            const std::vector<AddedRequest>& added) {
  const auto beside = std::ranges::find(added, resource, &AddedRequest::resource);
  return {resource, wanted, beside == added.end() ? nullptr : &*beside,
          node_amount(nodes, resource)};
}

/// Defaults of a pod that only starts the others, where the spec has none: the head of a Ray
/// cluster keeps the state of all tasks and runs the job's program, mpirun passes on output.
struct StarterAmounts {
  std::string_view role, cpu, memory, field;
};
constexpr StarterAmounts kStarters[] = {
    {"head", "4", "8Gi", "spec.roles.head.resources"},
    {"launcher", "2", "2Gi", "spec.roles.launcher.resources"},
};

/// Whether the role has an amount of a resource by any way.
bool has_amount(const Role& role, std::string_view resource) {
  const auto same = [&](const NamedValue& known) { return known.name == resource; };
  return std::ranges::any_of(role.requests, same) || std::ranges::any_of(role.limits, same);
}

/// Such a pod is then not the first to be evicted, and passes a quota. What a spec states without a
/// limit has its request for one, and so have these.
void starter_default(RuleContext& context, Role& role) {
  const auto row = std::ranges::find(kStarters, role.name, &StarterAmounts::role);
  if (role.trains || row == std::end(kStarters)) return;
  const OriginId origin = context.by_default(row->field);
  for (const auto& [resource, amount] : {std::pair{"cpu", row->cpu}, {"memory", row->memory}}) {
    if (has_amount(role, resource)) continue;
    context.add(role.requests, resource, amount, origin);
    context.add(role.limits, resource, amount, origin);
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
  context.add_all(role.requests, wanted.extended);
  context.add_all(role.limits, wanted.extended);
  starter_default(context, role);
  if (input.nodes.machine == nullptr) return;
  const std::vector<AddedRequest> added = requests_of_added(
      context.spec, *context.in.job_tree, role.name, context.in.target->container_name);
  for (const Ask& ask : {ask_for("cpu", wanted.cpu, input.nodes, added),
                         ask_for("memory", wanted.memory, input.nodes, added)}) {
    check_against_machine(context, input, ask);
    whole_node_default(context, input, ask);
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
    "takes all its GPUs, and with what other containers of the pod request they fit a node.",
    "A pod without requests is the first to be evicted, and the scheduler puts others beside it.",
    "spec.resources spec.gpu spec.pod role.name role.trains role.nodes role.gpus cluster.pools "
    "cluster.gpu.migStrategy "
    "cluster.gpu.sharing machine",
    "role.requests role.limits",
    run};

}  // namespace trainyard
