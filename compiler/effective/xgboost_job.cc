#include "effective/replicas.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr ReplicaKind kKind = {"xgbReplicaSpecs",      "xgboost", "xgboostjob-port", 9999, "Never",
                               "xgboostjob-controller"};

std::vector<PodRole> roles(View job) {
  return replica_roles(job, kKind);
}

EffectivePod pod(PodBuilder& maker, View object, std::string_view role, std::int64_t index,
                 KubernetesVersion) {
  const ReplicaJob job(object, kKind);
  const Replica& replica = *job.find(role);
  const Replica* master = job.find("Master");
  const Replica* workers = job.find("Worker");
  EffectivePod result;
  const PodDraft draft =
      draft_replica(maker, job, replica, index, replica.type == "Master", result);
  if (master == nullptr) {
    result.failure = "an XGBoostJob without a `Master` gets no pods";
    return result;
  }
  const std::int64_t total = job.total();
  if (total > 1 && workers == nullptr) {
    result.failure = "an XGBoostJob with several masters and no `Worker` gets no pods";
    return result;
  }
  std::string addresses;
  for (std::int64_t i = 0; i + 1 < total; ++i) {
    addresses += (i == 0 ? "" : ",") + job.pod_name("Worker", i);
  }
  const std::int64_t rank = replica.type == "Worker" ? index + master->count : index;
  for (NodeId container : containers(maker, draft.spec)) {
    const auto add = [&](std::string_view name, const std::string& value, std::string_view why) {
      append_env(maker, container, name, value, maker.mark(why));
    };
    add("MASTER_PORT", std::to_string(job.port_of(*master)), "port of the master");
    add("MASTER_ADDR", job.pod_name("Master", 0), "service of the master");
    add("WORLD_SIZE", std::to_string(total), "all replicas");
    add("RANK", std::to_string(rank), "rank of this replica");
    add("PYTHONUNBUFFERED", "1", "output appears at once");
    if (total == 1) continue;
    add("WORKER_PORT", std::to_string(job.port_of(*workers)), "port of the workers");
    add("WORKER_ADDRS", addresses, "services of the workers");
  }
  return result;
}

}  // namespace

constinit const PodKind kXGBoostPods = {
    "kubeflow.org",
    "XGBoostJob",
    "v1",
    "training-operator",
    "kubeflow/training-operator pkg/controller.v1/xgboost/xgboost.go",
    roles,
    pod};

}  // namespace trainyard
