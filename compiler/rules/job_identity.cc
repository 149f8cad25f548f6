#include <string>

#include "rules/host_names.h"
#include "rules/project.h"
#include "rules/rerun.h"
#include "rules/rule.h"
#include "rules/rule_context.h"
#include "rules/wanted_scheduling.h"
#include "source/output_digest.h"

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

/// Where the jobs of a project are, on a target of projects and for other kinds on its system.
void namespace_of_project(RuleContext& context) {
  std::string_view form = context.in.target->project_namespace;
  if (form.empty()) {
    const WantedScheduling wanted = wanted_scheduling(context);
    if (!wanted.is(SchedulingSystem::Runai) || wanted.queue == nullptr || !*wanted.queue) return;
    context.set(context.plan.ns, context.text("runai-", **wanted.queue),
                context.because({context.from(*wanted.queue)}));
    return;
  }
  const Text& queue = own_queue(context);
  if (!queue || form.empty()) return;
  context.set(context.plan.ns, context.text(expanded(form, "{queue}", *queue)),
              context.because({context.from(queue)}));
}

/// What the job names counts before what the Cluster names, and a namespace before a project.
void namespace_of_job(RuleContext& context) {
  static const Text kNone;
  const Text& own = context.in.job->metadata->ns;
  const Text& general =
      context.in.cluster == nullptr ? kNone : context.in.cluster->spec->defaults->ns;
  if (own) return context.set(context.plan.ns, *own, context.from(own));
  if (context.spec.scheduling->queue || !general) namespace_of_project(context);
  if (context.plan.ns.is_set || !general) return;
  context.set(context.plan.ns, *general, context.because({context.from(general)}));
}

/// What tells a run from the others of its job, and how the job wants to be changed.
void identity_of_run(RuleContext& context) {
  Plan& plan = context.plan;
  const RerunChoice rerun = rerun_of(context);
  if (rerun.how == Rerun::Never) {
    context.add(plan.workload_annotations, kRerunAnnotation, spelling(rerun.how), rerun.origin);
  }
  if (rerun.how != Rerun::NewName) return;
  const OriginId origin = context.because({plan.name.origin});
  context.add(plan.labels, kJobLabel, *plan.job, origin);
  context.add(plan.lasting_labels, kJobLabel, *plan.job, origin);
  context.add(plan.labels, kRunLabel, kUnnamedRun, origin);
  context.add(plan.selector, kRunLabel, kUnnamedRun, origin);
}

void run(RuleContext& context) {
  Plan& plan = context.plan;
  const JobMetadata& metadata = *context.in.job->metadata;
  const OriginId identity = context.because({plan.job.origin});

  context.add(plan.labels, kInstance, *plan.job, identity);
  context.add(plan.labels, kManagedBy, "trainyard", identity);
  context.add_all(plan.labels, metadata.labels);
  // Those of the Cluster are for what the job does not label itself.
  if (context.in.cluster != nullptr) {
    for (const auto& label : *context.in.cluster->metadata->labels) {
      if (find(*metadata.labels, label.key) != nullptr) continue;
      context.add(plan.labels, label.key, *label.value, context.from(label.value));
    }
  }
  // What the thing is called and what it belongs to are the user's to say otherwise.
  const std::string_view what = context.in.target->serves ? "model-service" : "training-job";
  if (!has(plan.labels, kName)) context.add(plan.labels, kName, what, identity);
  if (!has(plan.labels, kPartOf)) context.add(plan.labels, kPartOf, *plan.job, identity);

  context.add_all(plan.annotations, metadata.annotations);
  context.add(plan.workload_annotations, kDigestAnnotation, kDigestToCome, identity);
  context.add(plan.selector, kInstance, *plan.job, identity);
  context.add(plan.selector, kManagedBy, "trainyard", identity);
  plan.lasting_labels = plan.labels;
  plan.lasting_selector = plan.selector;
  identity_of_run(context);

  namespace_of_job(context);
}

}  // namespace

extern const Rule job_identity_rule{
    "job-identity",
    Rule::Phase::Infer,
    "Every object says which job and run it belongs to and who made it; the job has the digest of "
    "all its objects.",
    "Labels that only this job's pods have are what anti-affinity and clean-up can safely select "
    "by. The digest is taken of the objects as they are written: it changes when one of them does, "
    "and never else.",
    "spec.metadata.labels spec.metadata.annotations spec.metadata.namespace "
    "spec.scheduling.queue cluster.defaults.namespace cluster.defaults.scheduling "
    "cluster.metadata.labels cluster.gitops.tool spec.rerun plan.job plan.name target.project "
    "target.serves target.cannot",
    "plan.labels plan.lastingLabels plan.annotations plan.workloadAnnotations plan.selector "
    "plan.lastingSelector plan.namespace",
    run};

}  // namespace trainyard
