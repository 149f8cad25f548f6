#include "convert/kubeflow.h"

#include <algorithm>
#include <string>

#include "convert/lifetime.h"
#include "convert/pod_template_reader.h"
#include "convert/services.h"
#include "manifest/launch.h"
#include "manifest/pod_templates.h"
#include "manifest/workload.h"
#include "shell/command_line.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

/// `OnFailure` starts containers again for ever, unless a limit is given.
void read_restart_policy(Conversion& job, View holder, View limit) {
  const View policy = get(holder, "restartPolicy");
  if (!policy) return;
  if (policy->text == "Never") {
    if (!limit) job.share({"lifecycle", "retryOn"}, job.text("never"), policy);
    return job.ledger.derived(policy);
  }
  if (!limit) {
    job.ledger.lost(policy,
                    policy->text == "ExitCode"
                        ? "the operator starts pods that a signal ended again without end"
                        : "the operator starts failed containers again without end",
                    "set `lifecycle.retries`, how often the whole job starts again");
  }
  if (limit && policy->text != "ExitCode") {
    job.share({"lifecycle", "retryOn"}, job.text("any"), policy);
  }
  job.ledger.carried(policy);
}

void read_limit(Conversion& job, View limit, const FailureCount& counted) {
  const auto count = integer_of(limit);
  if (!count) return;
  const std::int64_t failures = std::max<std::int64_t>(*count - counted.beyond, 0);
  const std::int64_t starts = failures / counted.per_start;
  const std::int64_t retries = std::max<std::int64_t>(starts - counted.of_processes, 0);
  if (retries > 0) job.share({"lifecycle", "retries"}, job.number(retries), {});
  if (failures != (retries + counted.of_processes) * counted.per_start && *count > 0) {
    job.ledger.lost(limit,
                    std::to_string(failures) + " failed pods are not a multiple of the " +
                        std::to_string(counted.per_start) + " pods of one start; treated as " +
                        std::to_string(retries) + (retries == 1 ? " retry" : " retries"),
                    "set `lifecycle.retries`, which counts starts of the whole job");
  }
  job.ledger.carried(limit);
}

/// The operator counts restarts of all pods, and gives up when it has counted so many
/// (kubeflow/training-operator pkg/core/job.go). Of an elastic job the processes start again with
/// the pod that is lost.
FailureCount failure_count(const Conversion& job, View spec, View replicas) {
  FailureCount count{job.pods, 1, 0};
  bool by_code = false;
  for (View each : Items(replicas)) {
    by_code = by_code || string_at(each, "restartPolicy") == "ExitCode";
  }
  // A pod that is made anew is no restart of a container: the limit is the number of these.
  if (by_code && !job.several_pods()) count.beyond = 0;
  if (const View elastic = get(spec, "elasticPolicy")) {
    constexpr std::int64_t kMaxRestarts = 3;  // of a build
    count.per_start =
        std::max<std::int64_t>(integer_at(elastic, "maxReplicas").value_or(job.pods), 1);
    count.of_processes = integer_at(elastic, "maxRestarts").value_or(kMaxRestarts);
  }
  return count;
}

void read_scheduling_policy(Conversion& job, View policy) {
  if (!policy) return;
  const View queue = get(policy, "queue");
  if (queue && !queue->text.empty()) {
    job.share({"scheduling", "system"}, job.text("volcano"), {});
    job.share_copy({"scheduling", "queue"}, queue);
  }
  if (const View priority = get(policy, "priorityClass"); priority && !priority->text.empty()) {
    job.share_copy({"scheduling", "priority"}, priority);
  }
  const View timeout = get(policy, "scheduleTimeoutSeconds");
  const View least = get(policy, "minAvailable");
  if (least) {
    job.ledger.derived(least);
    job.least_pods.push_back(least);
  }
  if (job.ours && timeout && !job.shared_at({"scheduling", "system"})) {
    job.share({"scheduling", "system"}, job.text("coscheduling"), {});  // which alone has it
  }
  if (!job.shared_at({"scheduling", "system"})) return;  // a flag of the operator says which
  if (const auto seconds = integer_of(timeout)) {
    job.share({"scheduling", "timeout"}, job.text(duration_text(*seconds)), timeout);
  }
}

/// TAO counts GPUs and nodes by variables of its own.
bool is_tao(View pod_template) {
  for (View each : items_at(get(pod_template, "spec"), "containers")) {
    if (variable(each, "NUM_GPU_PER_NODE") && variable(each, "NNODES")) return true;
  }
  return false;
}

}  // namespace

void read_run_policy(Conversion& job, View policy, const FailureCount& counted) {
  read_seconds(job, get(policy, "activeDeadlineSeconds"), "deadline");
  read_seconds(job, get(policy, "ttlSecondsAfterFinished"), "ttl");
  read_limit(job, get(policy, "backoffLimit"), counted);
  read_suspend(job, get(policy, "suspend"));
  read_scheduling_policy(job, get(policy, "schedulingPolicy"));
  const View clean = get(policy, "cleanPodPolicy");
  if (clean && clean->text == "All") {
    job.ledger.lost(clean, "finished pods stay with their job",
                    "`lifecycle.ttl: 0s` removes the job with its pods once it has finished");
  } else {
    job.ledger.derived(clean);
  }
}

void read_kubeflow_job(Conversion& job, const KubeflowKind& kind) {
  const View spec = get(job.job, "spec");
  const View replicas = get(spec, kind.replicas);
  job.framework = kind.framework;
  job.container = kind.container;
  job.port = kind.port;
  const Workload workload =
      read_workload(job.job, group_of(string_at(job.job, "apiVersion")), kind.kind);
  job.pods = std::max<std::int64_t>(workload.pods(), 1);
  read_run_policy(job, get(spec, "runPolicy"), failure_count(job, spec, replicas));
  const View limit = get(get(spec, "runPolicy"), "backoffLimit");
  for (const KubeflowKind::Role& known : kind.roles) {
    const View holder = get(replicas, known.replica);
    const WorkloadRole* from = workload.role(known.replica);
    if (!holder || from == nullptr) continue;
    ConvertedRole role;
    role.name = known.name;
    role.pods = from->pods;
    job.injects = [&](std::string_view variable) {
      // The operator appends it: what the template says does not count.
      if (variable == "PYTHONUNBUFFERED" && kind.kind != "TFJob") return true;
      return !from->containers.empty() &&
             is_injected(workload, *from, from->containers.front(), variable);
    };
    const View pod = get(holder, "template");
    if (is_tao(pod)) job.framework = "tao";
    role.processes = job.framework == "tao" ? 0 : job.processes;
    settle_services(job, pod, job.name);
    job.roles.push_back(role);
    read_pod_template(job, job.roles.back(), pod);
    job.ledger.carried(get(holder, "replicas"));
    read_restart_policy(job, holder, limit);
  }
  job.injects = [](std::string_view) { return false; };
  const View gang = get(get(spec, "runPolicy"), "schedulingPolicy");
  if (job.ours && gang && !job.shared_at({"scheduling", "system"})) {
    job.share({"scheduling", "system"}, job.text("volcano"), {});
  }
  // A build makes a master of its own where the spec has one, and nowhere else.
  job.roles_are_even = kind.even && !(job.ours && job.framework != "xgboost");
}

}  // namespace trainyard
