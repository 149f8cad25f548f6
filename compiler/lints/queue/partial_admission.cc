// Jobs that a queue may start with fewer pods than they count on.

#include <array>
#include <string>

#include "check/check.h"
#include "diag/words.h"
#include "lints/tables.h"
#include "manifest/go_text.h"
#include "manifest/launch.h"
#include "manifest/metadata.h"
#include "shell/command_line.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// Variables that state a number of processes or pods, under the names that launchers read.
constexpr auto kSizes = std::to_array<std::string_view>(
    {"WORLD_SIZE", "NNODES", "JAX_NUM_PROCESSES", "NUM_PROCESSES", "DMLC_NUM_WORKER"});

/// What a container counts on, as a number that does not change with the pods that are started.
ExplicitNumber fixed_size(View container) {
  if (const ExplicitNumber nodes = explicit_node_count(container)) return nodes;
  if (const auto call = accelerate_call(container)) {
    const OptionValue& machines = call->option("num-machines");
    if (const auto number = machines.number()) return {*number, machines.at};
  }
  for (std::string_view name : kSizes) {
    const View value = variable_value(container, name);
    const auto number = value ? go_integer(value->text) : std::nullopt;
    if (number) return {*number, value};
  }
  return {};
}

void hold(View least_at, std::int64_t least, std::string_view who, View pod_spec,
          CheckContext& context) {
  for (View container : items_at(pod_spec, "containers")) {
    const ExplicitNumber size = fixed_size(container);
    if (!size || size.number <= least) continue;
    context
        .lint(least_at, std::string(who) + " may start the job with " + std::to_string(least) +
                            (least == 1 ? " pod" : " pods") + ", and container " +
                            shown(string_at(container, "name")) + " counts on " +
                            std::to_string(size.number))
        .also(context.place(size.at), "the fixed number");
    return;
  }
}

/// A Job, or the template of one.
void job(View holder, CheckContext& context) {
  const View least = annotation(holder, "kueue.x-k8s.io/job-min-parallelism");
  const auto number = least ? go_integer(string_of(least)) : std::nullopt;
  if (!number || *number <= 0) return;
  const View spec = get(holder, "spec");
  if (*number >= integer_at(spec, "parallelism").value_or(1)) return;  // refused by its webhook
  hold(least, *number, "Kueue", get(get(spec, "template"), "spec"), context);
}

void kueue_workload(View object, CheckContext& context) {
  for (View set : items_at(get(object, "spec"), "podSets")) {
    const View least = get(set, "minCount");
    const auto number = integer_of(least);
    if (!number || *number >= integer_at(set, "count").value_or(1)) continue;
    hold(least, *number, "Kueue", get(get(set, "template"), "spec"), context);
  }
}

/// Plugins of Volcano tell each pod of all replicas, whether they are started or not.
View size_plugin(View spec) {
  for (std::string_view name : {"pytorch", "tensorflow", "mpi"}) {
    if (const View plugin = get(get(spec, "plugins"), name)) return plugin;
  }
  return {};
}

void volcano_job(View object, CheckContext& context) {
  const View spec = get(object, "spec");
  for (View task : items_at(spec, "tasks")) {
    const View least = get(task, "minAvailable");
    const auto number = integer_of(least);
    const std::int64_t replicas = integer_at(task, "replicas").value_or(1);
    if (!number || *number <= 0 || *number >= replicas) continue;
    const View pod_spec = get(get(task, "template"), "spec");
    const View plugin = size_plugin(spec);
    bool states = false;
    for (View container : items_at(pod_spec, "containers")) {
      states = states || fixed_size(container);
    }
    if (states || !plugin) {
      hold(least, *number, "Volcano", pod_spec, context);
      continue;
    }
    context
        .lint(least, "Volcano may start the job with " + std::to_string(*number) + " of the " +
                         std::to_string(replicas) + " pods of task " +
                         shown(string_at(task, "name")) + ", and plugin " + shown(plugin.key()) +
                         " tells them of all")
        .also(context.place(plugin), "the plugin");
  }
}

void partial_admission(View object, CheckContext& context) {
  const std::string_view kind = string_at(object, "kind");
  if (kind == "Workload") return kueue_workload(object, context);
  if (kind == "CronJob") return job(get(get(object, "spec"), "jobTemplate"), context);
  if (string_at(object, "apiVersion") == "batch/v1") return job(object, context);
  volcano_job(object, context);
}

constexpr Check kChecks[] = {
    {.name = "partial-admission",
     .group = CheckGroup::Queue,
     .effect = Effect::NeverRuns,
     .on = "batch Job CronJob; kueue.x-k8s.io Workload; batch.volcano.sh Job",
     .sentence = "A job whose world size is fixed is started with all of its pods.",
     .source = "kubernetes-sigs/kueue pkg/controller/jobs/job/job_controller.go and "
               "apis/kueue/v1beta2/workload_types.go: partial admission; volcano-sh/volcano "
               "pkg/scheduler/plugins/gang: minAvailable of a task",
     .object = partial_admission,
     .severity = Severity::Warning,
     .because = "With fewer pods the others wait for ranks that do not start, until they time "
                "out.",
     .fix = "leave out the minimum, or let the program take its size from what is started, as "
            "`--nnodes=2:4` does"},
};

}  // namespace

const std::span<const Check> admission_lints = kChecks;

}  // namespace trainyard
