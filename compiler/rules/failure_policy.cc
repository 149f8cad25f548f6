#include <algorithm>
#include <span>

#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

/// Aborted, killed, crashed, terminated: may be the machine. Everything else is the program.
constexpr std::int64_t kMayBeTheMachineCodes[] = {134, 137, 139, 143};
constexpr std::span<const std::int64_t> kMayBeTheMachine = kMayBeTheMachineCodes;
/// A lost peer makes sound ranks exit with 1, so on several nodes only a command that cannot run
/// ends the job.
constexpr std::int64_t kCannotRunCodes[] = {2, 126, 127};
constexpr std::span<const std::int64_t> kCannotRun = kCannotRunCodes;

/// Builds a podFailurePolicy: the first rule that matches decides.
class FailurePolicy {
 public:
  FailurePolicy(RuleContext& context, OriginId origin)
      : tree_(context.tree()), origin_(origin), rules_(tree_.add_seq(origin)) {}

  /// Preemption, eviction, node drain and node failure do not count.
  void ignore_disruptions() {
    const NodeId condition = tree_.add_map(origin_);
    tree_.append(condition, "type", text("DisruptionTarget"));
    // Its default in a Job; an operator's schema may want it (kubeflow/trainer v2.0.1
    // manifests/base/crds/trainer.kubeflow.org_trainingruntimes.yaml).
    tree_.append(condition, "status", text("True"));
    const NodeId conditions = tree_.add_seq(origin_);
    tree_.append(conditions, condition);
    const NodeId rule = tree_.add_map(origin_);
    tree_.append(rule, "action", text("Ignore"));
    tree_.append(rule, "onPodConditions", conditions);
    tree_.append(rules_, rule);
  }

  /// Only the training container's code counts: a sidecar may end as it likes.
  void fail_on_exit(std::string_view container, std::string_view op,
                    std::span<const std::int64_t> codes) {
    const NodeId values = tree_.add_seq(origin_);
    for (std::int64_t code : codes) tree_.append(values, tree_.add_int(code, origin_));
    const NodeId exits = tree_.add_map(origin_);
    tree_.append(exits, "containerName", text(container));
    tree_.append(exits, "operator", text(op));
    tree_.append(exits, "values", values);
    const NodeId rule = tree_.add_map(origin_);
    tree_.append(rule, "action", text("FailJob"));
    tree_.append(rule, "onExitCodes", exits);
    tree_.append(rules_, rule);
  }

  NodeId finish() {
    const NodeId policy = tree_.add_map(origin_);
    tree_.append(policy, "rules", rules_);
    return policy;
  }

 private:
  NodeId text(std::string_view value) { return tree_.add_string(value, origin_); }

  Tree& tree_;
  OriginId origin_;
  NodeId rules_;
};

/// One incident ends every pod of a gang, and each of them counts.
std::int64_t pod_failures(const RuleContext& context, std::int64_t retries) {
  std::int64_t pods = 0;
  for (const Role& role : context.plan.roles) pods += *role.replicas;
  if (const auto& most = context.plan.elastic.max_nodes) pods = *most;
  return retries * pods;
}

/// The training container under the name that the target gives it.
void rename_main(Tree& tree, NodeId policy, std::string_view name) {
  for (NodeId rule : tree.children(tree.find(policy, "rules"))) {
    const NodeId own = tree.find(tree.find(rule, "onExitCodes"), "containerName");
    if (own != kNoNode && tree[own].text == kMainContainer) tree[own].text = name;
  }
}

bool ends_jobs(const Tree& tree, NodeId policy) {
  const NodeId rules = tree.find(policy, "rules");
  const auto children = tree.children(rules);
  return std::any_of(children.begin(), children.end(),
                     [&](NodeId rule) { return View(tree, rule)["action"].text() == "FailJob"; });
}

RetryOn retry_on_of(const Lifecycle& wanted) {
  return wanted.retry_on.value_or(RetryOn::Infrastructure);
}

NodeId computed_policy(RuleContext& context, RetryOn retry_on, OriginId origin) {
  FailurePolicy policy(context, origin);
  policy.ignore_disruptions();
  const std::string_view container = *context.plan.roles[0].container_name;
  if (retry_on == RetryOn::Any) {
    // Every failure is worth another start.
  } else if (!*context.plan.multi_node) {
    policy.fail_on_exit(container, "NotIn", kMayBeTheMachine);
  } else {
    policy.fail_on_exit(container, "In", kCannotRun);
  }
  return policy.finish();
}

/// Which failures count where the job, or a role, says this; unset where all do.
Fragment policy_of(RuleContext& context, const Lifecycle& wanted) {
  Fragment result;
  const RetryOn retry_on = retry_on_of(wanted);
  if (wanted.pod_failure_policy) {
    const NodeId policy = context.shape(wanted.pod_failure_policy);
    rename_main(context.tree(), policy, *context.plan.roles[0].container_name);
    context.set(result, policy, context.from(wanted.pod_failure_policy));
  } else if (retry_on != RetryOn::Never && context.in.target->pod_failure_policy) {
    const OriginId origin = context.because({context.from(wanted.retry_on)});
    context.set(result, computed_policy(context, retry_on, origin), origin);
  }
  return result;
}

/// Of a role that may fail, no failure is final.
Fragment policy_of_expendable(RuleContext& context, OriginId origin) {
  Fragment result;
  if (!context.in.target->pod_failure_policy) return result;
  context.set(result, computed_policy(context, RetryOn::Any, origin), origin);
  return result;
}

/// The same by exit code alone, where the system names what follows each.
void exit_rules(RuleContext& context, const Lifecycle& wanted, RetryOn retry_on) {
  LifecyclePlan& plan = context.plan.lifecycle;
  if (*plan.restarts == 0 || retry_on == RetryOn::Any) return;
  const OriginId origin = context.because({context.from(wanted.retry_on)});
  const bool several = *context.plan.multi_node;
  for (std::int64_t code : several ? kCannotRun : kMayBeTheMachine) {
    plan.exits.push_back({code, several, origin});
  }
  if (!several) context.set(plan.others_final, true, origin);
}

/// An operator that makes failed pods anew itself tells failures apart by exit code only, above 127
/// or not, and counts the restarts of containers (kubeflow/training-operator
/// pkg/controller.v1/common/pod.go, pkg/core/job.go). A lost peer looks like an error of the
/// program, so of several pods each failure is worth another start.
void replica_policies(RuleContext& context, std::int64_t retries, RetryOn retry_on,
                      OriginId origin) {
  const auto& elastic = context.plan.elastic;
  const std::int64_t starts = retries + (elastic.max_restarts ? *elastic.max_restarts : 0);
  const bool none = retry_on == RetryOn::Never || starts == 0;
  const bool by_code = retry_on == RetryOn::Infrastructure && !*context.plan.multi_node;
  for (Role& role : context.plan.roles) {
    const std::string_view policy = none ? "Never" : by_code ? "ExitCode" : "OnFailure";
    context.set(role.replica_policy, policy, origin);
  }
  if (none) return;
  // The restart that reaches the limit is one too many.
  context.set(context.plan.lifecycle.restart_limit,
              by_code ? starts : pod_failures(context, starts) + 1, origin);
}

/// As often as the field of a Job can say (kubernetes/api batch/v1/types.go backoffLimit).
constexpr std::int64_t kAlways = 2'147'483'647;

/// A role whose failure does not end the job: its pods come back as often as they fail, or they are
/// given up.
void let_fail(RuleContext& context, Role& role, const Flag& critical) {
  const OriginId origin = context.because({context.from(critical)});
  context.set(role.expendable, true, origin);
  if (context.in.target->programs.expendable != Expendable::ComesBack) return;
  context.set(role.own_restarts, kAlways, origin);
  role.failure_policy = policy_of_expendable(context, origin);
}

/// Pods that come back while the others go on.
void restart_alone(RuleContext& context, Role& role, const RoleSpec& own, std::int64_t retries) {
  if (!own.restart || *own.restart != RoleRestart::Alone) return;
  if (role.own_restarts.is_set) return;  // its pods come back in any case
  const OriginId origin = context.because({context.from(own.restart)});
  context.set(role.own_restarts, retries * *role.part_pods, origin);
}

/// What each role survives, by what it says itself or what the job says.
void of_role(RuleContext& context, const RoleInput& input) {
  Role& role = *input.role;
  const Lifecycle& wanted = *context.of(input, &RoleFields::lifecycle);
  const LifecyclePlan& job = context.plan.lifecycle;
  const RoleSpec* own = context.program_spec(role);
  const Lifecycle* said = own == nullptr ? nullptr : &*own->lifecycle;
  const bool own_policy = said != nullptr && (said->retry_on || said->pod_failure_policy);
  role.failure_policy = own_policy ? policy_of(context, wanted) : job.failure_policy;
  if (own == nullptr) return;
  const bool again = retry_on_of(wanted) != RetryOn::Never;
  const std::int64_t retries = again ? wanted.retries.value_or(0) : 0;
  const OriginId counted =
      context.because({context.from(wanted.retries), context.from(wanted.retry_on)});
  context.set(role.retries, retries * *role.part_pods, counted);
  if (!again && *job.restarts > 0) {
    context.set(role.fails_job, true, counted);
    if (!context.plan.lifecycle.some_final) {
      context.set(context.plan.lifecycle.some_final, true, counted);
    }
  }
  if (!own->critical.value_or(true)) let_fail(context, role, own->critical);
  restart_alone(context, role, *own, retries);
}

/// Whether any failure leads to another start.
bool starts_again(const RuleContext& context) {
  return std::ranges::any_of(context.roles, [&](const RoleInput& input) {
    return retry_on_of(*context.of(input, &RoleFields::lifecycle)) != RetryOn::Never;
  });
}

void run(RuleContext& context) {
  const Lifecycle& wanted = *context.spec.lifecycle;
  LifecyclePlan& plan = context.plan.lifecycle;
  const RetryOn retry_on = retry_on_of(wanted);
  const std::int64_t retries = wanted.retries.value_or(0);
  const bool again = starts_again(context);

  const OriginId counted =
      context.because({context.from(wanted.retries), context.from(wanted.retry_on),
                       context.plan.multi_node.origin});
  context.set(plan.retries, retry_on == RetryOn::Never ? 0 : pod_failures(context, retries),
              counted);
  context.set(plan.restarts, again ? retries : 0, counted);
  context.set(plan.starts, *plan.restarts + 1, counted);
  if (context.in.target->exit_codes) exit_rules(context, wanted, retry_on);
  const TargetFacts& target = *context.in.target;
  if (target.restarts_by_operator) {
    replica_policies(context, retries, retry_on, counted);
  } else {
    for (Role& role : context.plan.roles) {
      context.set(target.restart_policy_of_replicas ? role.replica_policy : role.restart_policy,
                  target.restart_policy, context.because({}));
    }
  }
  if (!again && retries > 0) {
    context
        .report(DiagnosticKind::OverlapsRetries, wanted.retries.span,
                "`retries` has no effect together with `retryOn: never`")
        .also(wanted.retry_on.span, "no failure leads to another start");
  }
  if (wanted.pod_failure_policy && wanted.retry_on && retry_on != RetryOn::Never) {
    context
        .report(DiagnosticKind::OverlapsRetries, wanted.retry_on.span,
                "`retryOn` has no effect together with `podFailurePolicy`")
        .also(wanted.pod_failure_policy.span, "this decides which failures count");
  }
  plan.failure_policy = policy_of(context, wanted);
  for (const RoleInput& input : context.roles) of_role(context, input);
  for (const Role& role : context.plan.roles) {
    const Fragment& policy = role.failure_policy;
    if (plan.final_failures || !policy || !ends_jobs(context.tree(), *policy)) continue;
    context.set(plan.final_failures, true, context.because({policy.origin}));
  }
}

}  // namespace

extern const Rule failure_policy_rule{
    "failure-policy",
    Rule::Phase::Infer,
    "A pod that the cluster disrupts does not use up retries; on one node a broken program is not "
    "started again, on several only a command that cannot run.",
    "The peers of a lost pod fail as a broken program does, with exit code 1. A podFailurePolicy "
    "needs restartPolicy Never; without containerName a sidecar's exit code "
    "would match (kubernetes/kubernetes pkg/apis/batch/validation/validation.go).",
    "spec.lifecycle.retries spec.lifecycle.retryOn spec.lifecycle.podFailurePolicy spec.roles "
    "role.replicas role.partPods target.programs "
    "role.containerName plan.multiNode plan.elastic target.failures",
    "plan.lifecycle.retries plan.lifecycle.restarts plan.lifecycle.restartLimit "
    "plan.lifecycle.starts plan.lifecycle.exits plan.lifecycle.othersFinal "
    "plan.lifecycle.failurePolicy plan.lifecycle.finalFailures plan.lifecycle.someFinal "
    "role.restartPolicy "
    "role.replicaPolicy role.ownRestarts role.retries role.failurePolicy role.failsJob "
    "role.expendable",
    run};

}  // namespace trainyard
