#include "rules/rule.h"
#include "rules/rule_context.h"

namespace trainyard {
namespace {

/// What the spec says, else what the Cluster has for all clusters of Ray.
const Located<Redis>* wanted_redis(const RuleContext& context) {
  if (context.spec.ray->redis) return &context.spec.ray->redis;
  if (context.in.cluster == nullptr || context.in.target->default_framework != "ray") {
    return nullptr;
  }
  const Located<Redis>& general = context.in.cluster->spec->defaults->ray->redis;
  return general ? &general : nullptr;
}

void run(RuleContext& context) {
  const Located<Redis>* wanted = wanted_redis(context);
  if (wanted == nullptr) return;
  const Redis& redis = **wanted;
  RayStatePlan& plan = context.plan.ray_state;
  context.set(plan.address, *redis.address, context.from(redis.address));
  if (redis.username) context.set(plan.username, *redis.username, context.from(redis.username));
  if (!redis.password) return;
  context.set(plan.secret, *redis.password->name, context.from(redis.password->name));
  context.set(plan.key, *redis.password->key, context.from(redis.password->key));
}

}  // namespace

extern const Rule ray_state_rule{
    "ray-state",
    Rule::Phase::Infer,
    "The head of a Ray cluster keeps its state in the Redis of the spec or of the Cluster, with a "
    "password that stands in a Secret.",
    "Without it a new head knows of no worker and no job, and the job is lost "
    "(ray-project/kuberay ray-operator/apis/ray/v1/raycluster_types.go GcsFaultToleranceOptions).",
    "spec.ray cluster.defaults.ray",
    "plan.ray",
    run};

}  // namespace trainyard
