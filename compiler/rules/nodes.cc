#include <string>
#include <string_view>
#include <vector>

#include "diag/suggest.h"
#include "diag/words.h"
#include "rules/gpu_offer.h"
#include "rules/rule.h"
#include "rules/rule_context.h"
#include "rules/spot.h"
#include "source/characters.h"

namespace trainyard {
namespace {

const std::vector<Located<Pool>>& pools(const RuleContext& context) {
  static const std::vector<Located<Pool>> kNone;
  return context.in.cluster == nullptr ? kNone : *context.in.cluster->spec->pools;
}

const Located<Pool>* pool_by_name(RuleContext& context, const Text& name) {
  std::vector<std::string_view> names;
  for (const auto& pool : pools(context)) {
    if (*pool->name == *name) return &pool;
    names.push_back(*pool->name);
  }
  Diagnostic& report =
      context.report(DiagnosticKind::UnknownPool, name.span, "there is no pool " + code(*name));
  if (context.in.cluster == nullptr) {
    report.note("pools are listed in a Cluster; pass it with `--cluster FILE`");
  } else if (const auto near = suggest(*name, names)) {
    report.fix(name.span, std::string(*near), "did you mean " + code(*near) + "?");
  } else if (!names.empty()) {
    report.note("the Cluster has " +
                listed(std::vector<std::string>(names.begin(), names.end()), "and"));
  }
  return nullptr;
}

/// The numbers of a name, each with the letters before it: `gb 200`, `nvl 72`.
std::vector<std::string> numbers_of(std::string_view name) {
  std::vector<std::string> numbers;
  std::string current;
  for (std::size_t i = 0; i <= name.size(); ++i) {
    const bool is_end = i == name.size();
    const bool ends_number = !current.empty() && is_digit(current.back());
    if (ends_number && (is_end || !is_digit(name[i]))) {
      numbers.push_back(current);
      current.clear();
    }
    if (is_end) break;
    const bool is_mark = name[i] == '-' || name[i] == '_' || name[i] == '.' || name[i] == ' ';
    current = is_mark ? std::string() : current + folded(name.substr(i, 1));
  }
  return numbers;
}

/// Whether a guess can be what was meant: a machine of another number is another machine.
bool may_be_meant(std::string_view name, std::string_view guessed) {
  const std::string wanted = folded(name);
  const std::string known = folded(guessed);
  return wanted == known || known.find(wanted) != known.npos || wanted.find(known) != known.npos ||
         numbers_of(name) == numbers_of(guessed);
}

const Machine* machine_by_name(RuleContext& context, const Text& name) {
  if (const Machine* found = context.in.machines->find(*name)) return found;
  Diagnostic& report = context.report(DiagnosticKind::UnknownMachine, name.span,
                                      "there is no machine " + code(*name) + " in the catalogue");
  const std::vector<std::string> names = context.in.machines->names();
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const std::string likely = guess(*name, candidates);
  const auto near = suggest_whole(*name, candidates);
  if (near && may_be_meant(*name, *near)) {
    report.fix(name.span, std::string(*near), likely);
  } else if (near) {
    report.note("for another machine say `gpusPerNode`, and choose nodes under `placement`");
  } else if (!likely.empty()) {
    report.note(likely);
  }
  report.note("`trainyard list machines` shows all of them");
  return nullptr;
}

/// The only pool that a test lets through; nothing when there are none or several.
template <class Test>
const Located<Pool>* only_pool(const RuleContext& context, const Test& test) {
  const Located<Pool>* found = nullptr;
  for (const auto& pool : pools(context)) {
    if (!test(*pool)) continue;
    if (found != nullptr) return nullptr;
    found = &pool;
  }
  return found;
}

/// The only pool among those that `is_candidate` lets through, with its GPUs whole or cut into
/// slices as the role wants them. One that lists the slices goes before those that may have some.
template <class Candidate>
const Located<Pool>* only_pool_with(const RuleContext& context, const RoleInput& input,
                                    const Candidate& is_candidate, const Text& mig) {
  const auto only = [&](const auto& test) {
    return only_pool(context, [&](const Pool& pool) {
      return is_candidate(pool) && suits_spot(context, input, pool) && test(pool);
    });
  };
  const auto any = [](const Pool&) { return true; };
  if (!mig) {
    const auto* whole = only([](const Pool& pool) { return !pool.gpu->mig.given(); });
    return whole != nullptr ? whole : only(any);
  }
  const auto* lists = only(
      [&](const Pool& pool) { return pool.gpu->mig && may_offer_slices(context, pool, *mig); });
  if (lists != nullptr) return lists;
  const auto* may = only([&](const Pool& pool) { return may_offer_slices(context, pool, *mig); });
  return may != nullptr ? may : only(any);
}

void check_same_machine(RuleContext& context, const NodeShape& nodes, const Text& machine) {
  const Pool& pool = **nodes.pool;
  if (has_machine(pool, *nodes.machine)) return;
  context
      .report(DiagnosticKind::ConflictingValues, machine.span,
              "the machine is " + code(*machine) + ", but the pool " + code(*pool.name) + " has " +
                  code(*pool.machine))
      .also(pool.machine.span, "the pool's machine")
      .note("leave `machine` out: a pool has one kind of machine");
}

/// A machine that none of the pools has: its labels would select no node of this Cluster.
void check_has_machine(RuleContext& context, const Machine& machine, const Text& wanted) {
  if (pools(context).empty()) return;
  std::string known;
  for (const auto& pool : pools(context)) {
    if (has_machine(*pool, machine)) return;
    const std::string name = code(*pool->machine);
    if (known.find(name) == std::string::npos) known += (known.empty() ? "" : ", ") + name;
  }
  context
      .report(DiagnosticKind::UnknownReference, wanted.span,
              "no pool of the Cluster has the machine " + code(*wanted))
      .also(context.in.cluster->spec->pools.span, "its pools")
      .note("they have " + known + "; nodes of another machine need a pool of their own");
}

/// A role that wants GPUs and names no nodes is for the only pool that has such GPUs.
void find_nodes(RuleContext& context, RoleInput& input) {
  if (!input.role->trains || context.of(input, &RoleFields::gpus_per_node).value_or(1) == 0) return;
  const GpuRequest& gpu = *context.of(input, &RoleFields::gpu);
  const Placement wanted = context.placement_of(input);
  // If the spec says by other means where pods go, that decides.
  if (gpu.product || gpu.resource || gpu.sharing || wanted.node_selector || wanted.affinity) return;
  const auto has_gpus = [&context](const Pool& pool) {
    if (pool.gpu->sharing) return false;
    if (pool.gpu->count) return *pool.gpu->count > 0;
    const Machine* machine = pool.machine ? context.in.machines->find(*pool.machine) : nullptr;
    return machine != nullptr && machine->gpu->count.value_or(0) > 0;
  };
  input.nodes.pool = only_pool_with(context, input, has_gpus, gpu.mig);
  if (input.nodes.pool != nullptr) {
    input.nodes.machine = machine_by_name(context, (*input.nodes.pool)->machine);
  }
}

void run(RuleContext& context) {
  for (RoleInput& input : context.roles) {
    const Text& pool = context.of(input, &RoleFields::pool);
    const Text& machine = context.of(input, &RoleFields::machine);
    NodeShape& nodes = input.nodes;
    if (pool) nodes.pool = pool_by_name(context, pool);
    if (machine) nodes.machine = machine_by_name(context, machine);
    if (nodes.pool != nullptr && nodes.machine != nullptr) {
      check_same_machine(context, nodes, machine);
    } else if (!pool && nodes.machine != nullptr) {
      check_has_machine(context, *nodes.machine, machine);
      const Text& mig = context.of(input, &RoleFields::gpu)->mig;
      nodes.pool = only_pool_with(
          context, input, [&](const Pool& each) { return has_machine(each, *nodes.machine); }, mig);
    } else if (!pool && !machine) {
      find_nodes(context, input);
    } else if (nodes.pool != nullptr && !machine) {
      nodes.machine = machine_by_name(context, (*nodes.pool)->machine);
    }
  }
}

}  // namespace

extern const Rule nodes_rule{
    "nodes",
    Rule::Phase::Infer,
    "Machine and pool of each role are known ones that agree; a machine finds its only pool, and "
    "so "
    "does a role that asks for GPUs alone.",
    "What a node has decides GPUs per pod, selectors, tolerations and the fabric.",
    "spec.machine spec.pool spec.gpu spec.gpusPerNode spec.placement role.trains cluster.pools "
    "cluster.gpu.migStrategy machine",
    "role.nodes",
    run};

}  // namespace trainyard
