#include "effective/replicas.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr ReplicaKind kKind = {"jaxReplicaSpecs",  "jax", "jaxjob-port", 6666, "Never",
                               "jaxjob-controller"};

std::vector<PodRole> roles(View job) {
  return replica_roles(job, kKind);
}

EffectivePod pod(PodBuilder& maker, View object, std::string_view role, std::int64_t index,
                 KubernetesVersion) {
  const ReplicaJob job(object, kKind);
  const Replica& replica = *job.find(role);
  const Replica* workers = job.find("Worker");
  EffectivePod result;
  const PodDraft draft = draft_replica(maker, job, replica, index, index == 0, result);
  if (workers == nullptr) {
    result.failure = "a JAXJob without a `Worker` gets no pods";
    return result;
  }
  for (NodeId container : containers(maker, draft.spec)) {
    const auto add = [&](std::string_view name, const std::string& value, std::string_view why) {
      append_env(maker, container, name, value, maker.mark(why));
    };
    add("PYTHONUNBUFFERED", "1", "output appears at once");
    add("COORDINATOR_PORT", std::to_string(job.port_of(*workers)), "port of the first worker");
    add("COORDINATOR_ADDRESS", job.pod_name("Worker", 0), "service of the first worker");
    add("NUM_PROCESSES", std::to_string(job.total()), "all replicas");
    add("PROCESS_ID", std::to_string(index), "rank of this replica");
  }
  return result;
}

}  // namespace

constinit const PodKind kJaxPods = {"kubeflow.org",
                                    "JAXJob",
                                    "v1",
                                    "training-operator",
                                    "kubeflow/training-operator pkg/controller.v1/jax/envvar.go",
                                    roles,
                                    pod};

}  // namespace trainyard
