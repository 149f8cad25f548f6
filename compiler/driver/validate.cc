#include "driver/validate.h"

#include "check/objects.h"
#include "driver/compile.h"
#include "driver/inputs.h"

namespace trainyard {

ValidateResult validate(Session& session, const ValidateRequest& request) {
  ValidateResult result;
  std::unique_ptr<ClusterDocument> cluster;
  if (!request.cluster.empty()) {
    cluster = read_cluster(session, request.cluster);
    if (cluster == nullptr) return result;
  }
  session.kubernetes = kubernetes_version(request.kubernetes);
  const KubernetesVersion version = target_kubernetes(session, cluster.get());
  Compilation compilation;
  const auto one = [&](const Document& document) {
    ++result.documents;
    if (document.kind == "TrainingJob" && document.api_version.starts_with("trainyard/")) {
      compile(session, document, cluster.get(), request.target, compilation);
    } else {
      check_manifest(document.tree, session.schema_sources(), version, session.sink);
    }
  };
  for_each_document(request.inputs, session.env, session.sources, session.sink, session.limits,
                    Ambiguity::Kubernetes, one);
  return result;
}

}  // namespace trainyard
