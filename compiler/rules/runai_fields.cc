#include <string>

#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

/// Copies what only Run:ai knows from the spec to the plan.
class RunaiFields {
 public:
  explicit RunaiFields(RuleContext& context)
      : context_(context), from_(*context.spec.runai), to_(context.plan.runai) {}

  void copy() {
    word(to_.usage, from_.usage);
    same(to_.base_workload, from_.base_workload);
    same(to_.name_prefix, from_.name_prefix);
    same(to_.node_pool, from_.node_pool);
    same(to_.gpu_limit, from_.gpu_limit);
    same(to_.completions, from_.completions);
    same(to_.parallelism, from_.parallelism);
    same(to_.preemption_limit, from_.preemption_limit);
    same(to_.terminate_after_preemption, from_.terminate_after_preemption);
    same(to_.create_home_dir, from_.create_home_dir);
    same(to_.host_ipc, from_.host_ipc);
    same(to_.standard_input, from_.standard_input);
    same(to_.terminal, from_.terminal);
    same(to_.mount_propagation, from_.mount_propagation);
    same(to_.username, from_.username);
    same(to_.user_id, from_.user_id);
    same(to_.mpi_workers, from_.mpi->workers);
    same(to_.mpi_slots, from_.mpi->slots_per_worker);
    node_pools();
    affinity();
    ports();
    preemption();
    to_.exposed_urls = wrapped(from_.exposed_urls);
    to_.git_sync = wrapped(from_.git_sync);
    to_.buckets = wrapped(from_.buckets);
    check();
  }

 private:
  template <class T>
  void same(Field<T>& to, const Located<T>& from) {
    if (from) context_.set(to, *from, context_.from(from));
  }
  template <Word E>
  void word(Field<std::string_view>& to, const Located<E>& from) {
    if (from) context_.set(to, spelling(*from), context_.from(from));
  }

  /// In the order of preference, with spaces between.
  void node_pools() {
    if (!from_.node_pools) return;
    std::string names;
    for (const Text& pool : *from_.node_pools) {
      names += (names.empty() ? "" : " ") + std::string(*pool);
    }
    if (from_.node_pools->size() > 1) {
      context_
          .report(DiagnosticKind::InferredShape, from_.node_pools.span,
                  "the schema of several `nodePools` is not public")
          .note("they are written with spaces between them, as a public script does");
    }
    for (Role& role : context_.plan.roles) {
      if (role.node_pools && *role.node_pools != names) return differs(role, names);
      context_.set(role.node_pools, context_.text(names), context_.from(from_.node_pools));
    }
  }

  void differs(const Role& role, const std::string& names) {
    context_
        .report(DiagnosticKind::ConflictingValues, from_.node_pools.span,
                "`nodePools` says " + code(names) + ", and the nodes of this job have the label " +
                    code(std::string(context_.in.target->pool_label) + ": " +
                         std::string(*role.node_pools)))
        .also(context_.place(role.node_pools.origin), "the label")
        .note("leave `nodePools` out, or name another `pool`");
  }

  void affinity() {
    const RunaiAffinity& wanted = *from_.pod_affinity;
    if (!from_.pod_affinity) return;
    same(to_.affinity_topology, wanted.topology_key);
    const bool hard = wanted.mode.value_or(TopologyMode::Required) == TopologyMode::Required;
    context_.set(to_.affinity_rule, std::string_view(hard ? "hard" : "soft"),
                 wanted.mode ? context_.from(wanted.mode)
                             : context_.by_default("spec.runai.podAffinity.mode"));
  }

  void ports() {
    if (context_.spec.network->ports) {
      context_.set(to_.service_type, spelling(from_.service_type.value_or(ServiceType::ClusterIp)),
                   from_.service_type ? context_.from(from_.service_type)
                                      : context_.by_default("spec.runai.serviceType"));
    } else if (from_.service_type) {
      context_
          .report(DiagnosticKind::NoEffect, from_.service_type.span,
                  "`serviceType` has no effect here")
          .note("the job has no `network.ports`");
    }
  }

  void preemption() {
    const Flag& preemptible = context_.spec.scheduling->preemptible;
    if (preemptible && !*preemptible) {
      context_.set(to_.non_preemptible, true, context_.because({context_.from(preemptible)}));
    }
  }

  /// `{<name>: {value: <what the spec says>}}`.
  template <class T>
  Fragment wrapped(const Located<Map<T>>& items) {
    if (!items || items->empty()) return {};
    Tree& tree = context_.tree();
    const OriginId origin = context_.from(items);
    const NodeId result = tree.add_map(origin);
    for (const Entry<T>& entry : *items) {
      const NodeId wrapper = tree.add_map(context_.from(entry.value));
      tree.append(wrapper, "value", context_.shape(*context_.in.job_tree, entry.value.node));
      tree.append(result, entry.key, wrapper);
    }
    return {result, origin, true};
  }

  void check() {
    if (from_.terminal.value_or(false) && !from_.standard_input.value_or(false)) {
      context_.report(DiagnosticKind::NoEffect, from_.terminal.span, "`tty` has no effect here")
          .note("a terminal needs `stdin: true`");
    }
    if (from_.parallelism && *from_.parallelism > from_.completions.value_or(1)) {
      context_
          .report(DiagnosticKind::OutOfRange, from_.parallelism.span,
                  "`parallelism` of " + std::to_string(*from_.parallelism) +
                      "; expected at most `completions`, " +
                      std::to_string(from_.completions.value_or(1)))
          .also(from_.completions.span, "the completions");
    }
    if (from_.base_workload && from_.usage.value_or(RunaiUsage::Submit) == RunaiUsage::Template) {
      context_
          .report(DiagnosticKind::ConflictingValues, from_.base_workload.span,
                  "a template cannot have a `baseWorkload`")
          .also(from_.usage.span, "this makes it a template");
    }
  }

  RuleContext& context_;
  const RunaiRequest& from_;
  RunaiPlan& to_;
};

void run(RuleContext& context) {
  if (!context.in.target->pod_template) RunaiFields(context).copy();
}

}  // namespace

extern const Rule runai_fields_rule{
    "runai-fields",
    Rule::Phase::Infer,
    "What only Run:ai knows goes to its workload as it is written, and its fields go together.",
    "`kubectl explain trainingworkload.spec` says which fields need others (run-ai/docs "
    "docs/developer/cluster-api/reference/training.md).",
    "spec.runai spec.network.ports spec.scheduling.preemptible role.nodePools target.pod",
    "plan.runai role.nodePools",
    run};

}  // namespace trainyard
