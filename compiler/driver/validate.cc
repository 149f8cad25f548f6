#include "driver/validate.h"

#include "check/objects.h"
#include "driver/cluster_check.h"
#include "driver/compile.h"
#include "driver/inputs.h"

namespace trainyard {
namespace {

void manifest(Session& session, const Document& document) {
  const std::size_t errors = session.sink.error_count();
  check_manifest(document.tree, session.schema_sources(), session.sink);
  const bool cluster = document.kind == "Cluster" && document.api_version.starts_with("trainyard/");
  if (!cluster || session.sink.error_count() != errors) return;
  check_cluster(session, decode_cluster(document.tree, document.tree.root(), session.sink));
}

}  // namespace

ValidateResult validate(Session& session, const ValidateRequest& request) {
  ValidateResult result;
  std::unique_ptr<ClusterDocument> cluster;
  if (!request.cluster.empty()) {
    cluster = read_cluster(session, request.cluster);
    if (cluster == nullptr) return result;
  }
  Compilation compilation;
  const auto one = [&](const Document& document) {
    ++result.documents;
    if (document.kind == "TrainingJob" && document.api_version.starts_with("trainyard/")) {
      compile(session, document, cluster.get(), request.target, compilation);
    } else {
      manifest(session, document);
    }
  };
  for_each_document(request.inputs, session.env, session.sources, session.sink, session.limits,
                    Ambiguity::Kubernetes, one);
  return result;
}

}  // namespace trainyard
