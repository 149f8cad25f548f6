#include <string>

#include "diag/suggest.h"
#include "rules/context.h"
#include "rules/rule.h"

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
  }
  return nullptr;
}

/// The only pool that has this machine, with its GPUs whole or cut into slices as the role wants
/// them; nothing when there are none or several.
const Located<Pool>* only_pool_with(const RuleContext& context, std::string_view machine,
                                    bool slices) {
  const Located<Pool>* found = nullptr;
  for (const auto& pool : pools(context)) {
    if (*pool->machine != machine || pool->gpu->mig.given() != slices) continue;
    if (found != nullptr) return nullptr;
    found = &pool;
  }
  return found;
}

const Machine* machine_by_name(RuleContext& context, const Text& name) {
  if (const Machine* found = context.in.machines->find(*name)) return found;
  Diagnostic& report = context.report(DiagnosticKind::UnknownMachine, name.span,
                                      "there is no machine " + code(*name) + " in the catalogue");
  const std::vector<std::string> names = context.in.machines->names();
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  if (const auto near = suggest(*name, candidates)) {
    report.fix(name.span, std::string(*near), "did you mean " + code(*near) + "?");
  }
  report.note("`trainyard list machines` shows all of them");
  return nullptr;
}

void run(RuleContext& context) {
  for (RoleInput& input : context.roles) {
    const Text& pool = context.of(input, &RoleFields::pool);
    const Text& machine = context.of(input, &RoleFields::machine);
    if (pool) input.nodes.pool = pool_by_name(context, pool);
    if (!pool && machine) {
      const bool slices = context.of(input, &RoleFields::gpu)->mig.given();
      input.nodes.pool = only_pool_with(context, *machine, slices);
    }
    if (machine) {
      input.nodes.machine = machine_by_name(context, machine);
    } else if (input.nodes.pool != nullptr && (*input.nodes.pool)->machine) {
      input.nodes.machine = machine_by_name(context, (*input.nodes.pool)->machine);
    }
  }
}

}  // namespace

extern const Rule nodes_rule{
    "nodes",
    Rule::Phase::Infer,
    "Machine and pool of each role are known ones, and a machine finds its only pool.",
    "What a node has decides GPUs per pod, selectors, tolerations and the fabric.",
    "spec.machine spec.pool spec.gpu.mig cluster.pools machine",
    "role.nodes",
    run};

}  // namespace trainyard
