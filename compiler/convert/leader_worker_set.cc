#include <algorithm>

#include "convert/convertible_kinds.h"
#include "convert/pod_template_reader.h"
#include "convert/services.h"
#include "manifest/launch.h"
#include "manifest/workload.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

void read(Conversion& job) {
  const View spec = get(job.job, "spec");
  const Workload workload = read_workload(job.job, "leaderworkerset.x-k8s.io", "LeaderWorkerSet");
  job.pods = std::max<std::int64_t>(workload.pods(), 1);
  const View groups = get(spec, "replicas");
  if (integer_of(groups).value_or(1) == 1) {
    job.ledger.derived(groups);
  } else {
    job.ledger.lost(groups, "a training job is one group of pods",
                    "several groups are several TrainingJobs");
  }
  const View pods = get(spec, "leaderWorkerTemplate");
  for (const WorkloadRole& from : workload.roles) {
    if (from.pods == 0) continue;
    const bool leader = from.name == "leader";
    job.injects = [&](std::string_view variable) {
      return !from.containers.empty() &&
             is_injected(workload, from, from.containers.front(), variable);
    };
    ConvertedRole role;
    if (workload.roles.size() > 1) role.name = leader ? "master" : "worker";
    role.pods = from.pods;
    job.roles.push_back(role);
    // A build lets them start again as the pods of any such set.
    if (const View policy = get(
            get(get(pods, leader ? "leaderTemplate" : "workerTemplate"), "spec"), "restartPolicy");
        job.ours && policy && policy->text == "Always") {
      job.ledger.derived(policy);
    }
    read_pod_template(job, job.roles.back(),
                      get(pods, leader ? "leaderTemplate" : "workerTemplate"));
  }
  job.injects = [](std::string_view) { return false; };
  job.roles_are_even = !job.ours;  // a build makes a leader of its own where the spec has one
  job.ledger.carried(get(pods, "size"));
  const View restart = get(pods, "restartPolicy");
  if (job.ours && restart && restart->text == "RecreateGroupOnPodRestart") {
    job.ledger.derived(restart);
  } else {
    job.ledger.lost(restart, "a set runs for ever, and a training job ends",
                    "`lifecycle.retries` says how often the job starts again");
  }
  job.ledger.derived(get(spec, "startupPolicy"));
  if (const View policy = get(get(spec, "networkConfig"), "subdomainPolicy");
      string_of(policy) == "Shared") {
    job.ledger.derived(policy);
  } else {
    job.ledger.lost(policy, "the pods of a job have one Service",
                    "take the address of rank 0 from its variables");
  }
  for (std::string_view key : {"volumeClaimTemplates", "subGroupPolicy"}) {
    job.patch("lws", {"spec", "leaderWorkerTemplate", key}, get(pods, key));
  }
  const View rollout = get(spec, "rolloutStrategy");
  job.ledger.derived(get(rollout, "type"));
  const View update = get(rollout, "rollingUpdateConfiguration");
  if (job.ours) return job.ledger.derived(get(update, "partition"));
  job.ledger.lost(update, "a job that trains is not rolled out", "start another job for a change");
}

}  // namespace

constinit const ConvertedKind kConvertLeaderWorkerSet = {"leaderworkerset.x-k8s.io",
                                                         "LeaderWorkerSet", "", read};

}  // namespace trainyard
