#include "convert/kubeflow.h"

#include <algorithm>
#include <string>

#include "check/launch.h"
#include "check/pod_templates.h"
#include "check/read.h"
#include "check/workload.h"
#include "convert/lifetime.h"
#include "convert/pod_parts.h"
#include "convert/services.h"

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
                    "set `lifecycle.retries`, how often the whole job is started anew");
  }
  job.ledger.carried(policy);
}

void read_limit(Conversion& job, View limit) {
  const auto count = integer_of(limit);
  if (!count) return;
  if (*count > 0) {
    job.share({"lifecycle", "retries"}, job.number(*count), limit);
    job.share({"lifecycle", "retryOn"}, job.text("any"), {});
  }
  job.ledger.carried(limit);
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
  if (!job.shared_at({"scheduling", "system"})) return;  // a flag of the operator says which
  if (const auto seconds = integer_of(timeout)) {
    job.share({"scheduling", "timeout"}, job.text(duration_text(*seconds)), timeout);
  }
  if (integer_of(least) == job.pods) job.ledger.derived(least);
}

}  // namespace

void read_run_policy(Conversion& job, View policy) {
  read_seconds(job, get(policy, "activeDeadlineSeconds"), "deadline");
  read_seconds(job, get(policy, "ttlSecondsAfterFinished"), "ttl");
  read_limit(job, get(policy, "backoffLimit"));
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
  read_run_policy(job, get(spec, "runPolicy"));
  const View limit = get(get(spec, "runPolicy"), "backoffLimit");
  for (const KubeflowKind::Role& known : kind.roles) {
    const View holder = get(replicas, known.replica);
    const WorkloadRole* from = workload.role(known.replica);
    if (!holder || from == nullptr) continue;
    ConvertedRole role;
    role.name = known.name;
    role.pods = from->pods;
    role.processes = job.processes;
    job.injects = [&](std::string_view variable) {
      return !from->containers.empty() &&
             is_injected(workload, *from, from->containers.front(), variable);
    };
    const View pod = get(holder, "template");
    settle_services(job, pod);
    job.roles.push_back(role);
    read_pod_template(job, job.roles.back(), pod);
    job.ledger.carried(get(holder, "replicas"));
    read_restart_policy(job, holder, limit);
  }
  job.injects = [](std::string_view) { return false; };
  job.roles_are_even = kind.even;
}

}  // namespace trainyard
