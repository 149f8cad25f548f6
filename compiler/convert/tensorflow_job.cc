#include "convert/convertible_kinds.h"
#include "convert/kubeflow.h"
#include "tree/typed_fields.h"

namespace trainyard {
namespace {

constexpr KubeflowKind::Role kRoles[] = {{"Chief", "chief"},
                                         {"Master", "chief"},
                                         {"Worker", "worker"},
                                         {"PS", "ps"},
                                         {"Evaluator", "evaluator"}};
constexpr KubeflowKind kKind = {"TFJob", "tfReplicaSpecs", "tensorflow", "tensorflow",
                                2222,    kRoles,           false};

void read(Conversion& job) {
  read_kubeflow_job(job, kKind);
  const View success = get(get(job.job, "spec"), "successPolicy");
  if (success && success->text == "AllWorkers") job.ledger.derived(success);
}

}  // namespace

constinit const ConvertedKind kConvertTFJob = {"kubeflow.org", "TFJob", "v1", read};

}  // namespace trainyard
