#include "convert/convertible_kinds.h"
#include "convert/kubeflow.h"

namespace trainyard {
namespace {

constexpr KubeflowKind::Role kRoles[] = {{"Master", "master"}, {"Worker", "worker"}};
constexpr KubeflowKind kKind = {"XGBoostJob", "xgbReplicaSpecs", "xgboost", "xgboost", 9999, kRoles,
                                true};

void read(Conversion& job) {
  read_kubeflow_job(job, kKind);
}

}  // namespace

constinit const ConvertedKind kConvertXGBoostJob = {"kubeflow.org", "XGBoostJob", "v1", read};

}  // namespace trainyard
