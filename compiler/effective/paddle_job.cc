#include "effective/replicas.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr ReplicaKind kKind = {"paddleReplicaSpecs",  "paddle", "master", 36543, "OnFailure",
                               "paddlejob-controller"};

std::vector<PodRole> roles(View job) {
  return replica_roles(job, kKind);
}

EffectivePod pod(PodBuilder& maker, View object, std::string_view role, std::int64_t index,
                 KubernetesVersion) {
  const ReplicaJob job(object, kKind);
  const Replica& replica = *job.find(role);
  const Replica* master = job.find("Master");
  const Replica* first = master != nullptr ? master : job.find("Worker");
  EffectivePod result;
  const PodDraft draft =
      draft_replica(maker, job, replica, index, replica.type == "Master", result);
  if (first == nullptr) {
    result.failure = "a PaddleJob without a `Worker` gets no pods";
    return result;
  }
  const bool leads = index == 0 && (master == nullptr || replica.type == "Master");
  const std::string port = ":" + std::to_string(job.port_of(*first));
  for (NodeId container : containers(maker, draft.spec)) {
    const auto add = [&](std::string_view name, const std::string& value, std::string_view why) {
      append_env(maker, container, name, value, maker.mark(why));
    };
    add("PYTHONUNBUFFERED", "1", "output appears at once");
    add("PADDLE_JOB_ID", std::string(name_of(object)), "name of the job");
    add("PADDLE_NNODES", std::to_string(job.total()), "all replicas");
    if (leads) {
      append_env(
          maker, container,
          field_variable(maker, "POD_IP_DUMMY", "status.podIP",
                         maker.mark("the first replica meets the others at its own address")));
      add("PADDLE_MASTER", "$(POD_IP_DUMMY)" + port, "where replicas meet");
    } else {
      add("PADDLE_MASTER", job.pod_name(first->type, 0) + port, "where replicas meet");
    }
    if (master == nullptr) continue;
    const bool server = replica.type == "Master";
    add(server ? "PADDLE_SERVER_NUM" : "PADDLE_TRAINER_NUM", "1", "one of them in each pod");
  }
  return result;
}

}  // namespace

constinit const PodKind kPaddlePods = {
    "kubeflow.org",
    "PaddleJob",
    "v1",
    "training-operator",
    "kubeflow/training-operator pkg/controller.v1/paddlepaddle/envvar.go",
    roles,
    pod};

}  // namespace trainyard
