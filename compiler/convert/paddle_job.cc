#include "convert/convertible_kinds.h"
#include "convert/kubeflow.h"

namespace trainyard {
namespace {

constexpr KubeflowKind::Role kRoles[] = {{"Master", "ps"}, {"Worker", "worker"}};
constexpr KubeflowKind kKind = {
    "PaddleJob", "paddleReplicaSpecs", "paddle", "paddle", 36543, kRoles, false};

void read(Conversion& job) {
  read_kubeflow_job(job, kKind);
}

}  // namespace

constinit const ConvertedKind kConvertPaddleJob = {"kubeflow.org", "PaddleJob", "v1", read};

}  // namespace trainyard
