#include <string>
#include <vector>

#include "check/check.h"
#include "diag/words.h"
#include "manifest/metadata.h"
#include "operators/tables.h"
#include "operators/volcano_tasks.h"
#include "schema/names.h"
#include "tree/quantity.h"
#include "tree/typed_fields.h"

// The pods of the tasks of a Volcano Job: their names, and what its webhook wants of templates.

namespace trainyard {
namespace {

using namespace volcano;

constexpr std::string_view kSource =
    "volcano-sh/volcano pkg/webhooks/admission/jobs/validate/admit_job.go";

void pod_names(View object, CheckContext& context) {
  const View name = metadata_name(object);
  if (string_of(name).empty()) return;
  const std::vector<Task> all = tasks_of(object);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string pod = std::string(name->text) + "-" + all[i].name + "-" + std::to_string(i);
    if (pod.size() <= kLabelSize) continue;
    context.refuse(name, "a pod of task " + shown(all[i].name) + " would be called " + shown(pod) +
                             ", which has " + std::to_string(pod.size()) +
                             " characters, at most 63 are allowed");
    return;
  }
}

/// The processors that a container asks for, as the webhook takes limits for requests.
bool asks_for_whole_processors(View container) {
  const View resources = get(container, "resources");
  const View requests = get(resources, "requests");
  const View amounts = has_items(requests) ? requests : get(resources, "limits");
  const View cpu = get(amounts, "cpu");
  const auto amount = cpu && cpu->is_scalar() ? Quantity::parse(cpu->text) : std::nullopt;
  const auto whole = amount ? amount->whole_units() : std::nullopt;
  return whole && *whole > 0 && Quantity::of(*whole) == *amount;
}

void topology_policy(View object, CheckContext& context) {
  for (const Task& task : tasks_of(object)) {
    const View policy = get(task.node, "topologyPolicy");
    if (string_of(policy).empty() || policy->text == "none") continue;
    const View pod = get(get(task.node, "template"), "spec");
    for (std::string_view list : {"containers", "initContainers"}) {
      for (View container : items_at(pod, list)) {
        if (asks_for_whole_processors(container)) continue;
        context
            .refuse(container, "container " + shown(string_at(container, "name")) +
                                   " asks for no whole number of processors")
            .also(context.place(policy), "which this policy needs");
      }
    }
  }
}

/// Names that Kubernetes takes since 1.32. One with `=` is refused by it as well.
void strict_env_name(View name, CheckContext& context) {
  const std::string_view text = string_of(name);
  if (text.empty() || text.find('=') != std::string_view::npos || context.before(32)) return;
  if (const Fault fault = why_not_env_name(text)) {
    context.refuse(name, "Volcano takes no variable " + shown(text) + ": the name " + *fault);
  }
}

/// Kubernetes takes them since 1.35, and before that `Always` of an init container.
void strict_restart_policy(View container, bool init, CheckContext& context) {
  const View policy = get(container, "restartPolicy");
  if (!policy || policy.kind() != Kind::String || context.before(35)) return;
  if (init && (policy->text.empty() || policy->text == "Always")) return;
  context.refuse_key(policy, init ? "Volcano takes no init container with another "
                                    "`restartPolicy` than `Always`"
                                  : "Volcano takes no container with a `restartPolicy` of its own");
}

/// Kubernetes takes a pause of no length since 1.33.
void strict_hooks(View container, CheckContext& context) {
  for (std::string_view hook : {"postStart", "preStop"}) {
    const View seconds = get(get(get(get(container, "lifecycle"), hook), "sleep"), "seconds");
    if (integer_of(seconds) != 0 || context.before(33)) continue;
    context.refuse(seconds, "Volcano takes no pause of 0 seconds");
  }
}

void strict_container(View container, bool init, CheckContext& context) {
  for (View variable : items_at(container, "env")) {
    strict_env_name(get(variable, "name"), context);
  }
  for (View source : items_at(container, "envFrom")) {
    strict_env_name(get(source, "prefix"), context);
  }
  strict_restart_policy(container, init, context);
  strict_hooks(container, context);
  const View sizes = get(container, "resizePolicy");
  if (init && has_items(sizes)) {
    context.refuse_key(sizes, "Volcano takes no init container with a `resizePolicy`");
  }
}

/// The webhook asks Kubernetes' own code of 1.35 about templates, with none of the options that the
/// API server sets.
void strict_templates(View object, CheckContext& context) {
  for (const Task& task : tasks_of(object)) {
    const View pod = get(get(task.node, "template"), "spec");
    for (std::string_view list : {"initContainers", "containers"}) {
      for (View container : items_at(pod, list)) {
        strict_container(container, list == "initContainers", context);
      }
    }
    for (View domain : items_at(get(pod, "dnsConfig"), "searches")) {
      const std::string_view text = string_of(domain);
      if (text != "." && text.find('_') == std::string_view::npos) continue;
      context.refuse(domain, "Volcano takes no domain to search in that " +
                                 std::string(text == "." ? "is `.` alone" : "holds `_`"));
    }
  }
}

constexpr Check kChecks[] = {
    {.name = "volcano-pod-names",
     .group = CheckGroup::Training,
     .on = "batch.volcano.sh Job",
     .sentence = "The names of the pods, `<job>-<task>-<index>`, have at most 63 characters.",
     .source = kSource,
     .object = pod_names,
     .operators = kVolcano},
    {.name = "volcano-topology-policy",
     .group = CheckGroup::Training,
     .on = kKinds,
     .sentence = "With a NUMA policy each container asks for a whole number of processors.",
     .source = kSource,
     .object = topology_policy,
     .operators = kVolcano},
    {.name = "volcano-pod-templates",
     .group = CheckGroup::Training,
     .on = kKinds,
     .sentence = "The pods of a job have nothing that Kubernetes takes and Volcano's webhook does "
                 "not.",
     .source = "volcano-sh/volcano pkg/webhooks/admission/jobs/validate/admit_job.go "
               "validateTaskTemplate",
     .object = strict_templates,
     .operators = {.name = "volcano", .since = "1.15"}},
};

}  // namespace

constinit const std::span<const Check> volcano_pod_template_checks = kChecks;

}  // namespace trainyard
