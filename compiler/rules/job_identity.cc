#include "rules/context.h"
#include "rules/rule.h"

namespace trainyard {
namespace {

constexpr std::string_view kManagedBy = "app.kubernetes.io/managed-by";
constexpr std::string_view kInstance = "app.kubernetes.io/instance";
constexpr std::string_view kName = "app.kubernetes.io/name";
constexpr std::string_view kPartOf = "app.kubernetes.io/part-of";

bool has(const std::vector<NamedValue>& list, std::string_view name) {
  for (const NamedValue& known : list) {
    if (known.name == name) return true;
  }
  return false;
}

void run(RuleContext& context) {
  Plan& plan = context.plan;
  const JobMetadata& metadata = *context.in.job->metadata;
  const OriginId identity = context.because({plan.name.origin});

  context.add(plan.labels, kInstance, *plan.name, identity);
  context.add(plan.labels, kManagedBy, "trainyard", identity);
  for (const auto& label : *metadata.labels) {
    context.add(plan.labels, label.key, *label.value, context.from(label.value));
  }
  // Those of the Cluster are for what the job does not label itself.
  if (context.in.cluster != nullptr) {
    for (const auto& label : *context.in.cluster->metadata->labels) {
      if (find(*metadata.labels, label.key) != nullptr) continue;
      context.add(plan.labels, label.key, *label.value, context.from(label.value));
    }
  }
  // What the thing is called and what it belongs to are the user's to say otherwise.
  if (!has(plan.labels, kName)) context.add(plan.labels, kName, "training-job", identity);
  if (!has(plan.labels, kPartOf)) context.add(plan.labels, kPartOf, *plan.name, identity);

  for (const auto& annotation : *metadata.annotations) {
    context.add(plan.annotations, annotation.key, *annotation.value,
                context.from(annotation.value));
  }
  context.add(plan.annotations, "trainyard/digest", context.in.digest, identity);
  context.add(plan.selector, kInstance, *plan.name, identity);
  context.add(plan.selector, kManagedBy, "trainyard", identity);

  if (metadata.ns) {
    context.set(plan.ns, *metadata.ns, context.from(metadata.ns));
  } else if (context.in.cluster != nullptr && context.in.cluster->spec->defaults->ns) {
    const Text& ns = context.in.cluster->spec->defaults->ns;
    context.set(plan.ns, *ns, context.because({context.from(ns)}));
  }
}

}  // namespace

extern const Rule job_identity_rule{
    "job-identity",
    Rule::Phase::Infer,
    "Every object says which job it belongs to, who made it and from what.",
    "Labels that only this job's pods have are what anti-affinity and clean-up can safely select "
    "by; the digest covers spec, cluster, compiler and schemas, so a reviewer sees that output is "
    "current.",
    "spec.metadata.labels spec.metadata.annotations spec.metadata.namespace "
    "cluster.defaults.namespace cluster.metadata.labels plan.name",
    "plan.labels plan.annotations plan.selector plan.namespace",
    run};

}  // namespace trainyard
