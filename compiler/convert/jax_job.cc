#include "convert/convertible_kinds.h"
#include "convert/kubeflow.h"

namespace trainyard {
namespace {

constexpr KubeflowKind::Role kRoles[] = {{"Worker", "worker"}};
constexpr KubeflowKind kKind = {"JAXJob", "jaxReplicaSpecs", "jax", "jax", 6666, kRoles, true};

void read(Conversion& job) {
  read_kubeflow_job(job, kKind);
}

}  // namespace

constinit const ConvertedKind kConvertJAXJob = {"kubeflow.org", "JAXJob", "v1", read};

}  // namespace trainyard
