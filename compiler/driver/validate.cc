#include "driver/validate.h"

#include "check/objects.h"
#include "driver/cluster_check.h"
#include "driver/compile.h"
#include "driver/inputs.h"

namespace trainyard {
namespace {

/// The group of an apiVersion: an object may be read in one version and written in another.
std::string_view group_of(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == api_version.npos ? std::string_view() : api_version.substr(0, slash);
}

bool is_same_object(const Document& a, const Document& b) {
  const View x = a.root()["metadata"];
  const View y = b.root()["metadata"];
  return a.kind == b.kind && group_of(a.api_version) == group_of(b.api_version) &&
         x["name"].text() == y["name"].text() && x["namespace"].text() == y["namespace"].text();
}

/// The object that a document is to replace; null when it is new.
const Tree* find_old(const std::vector<Document>& old, const Document& document) {
  for (const Document& each : old) {
    if (is_same_object(each, document)) return &each.tree;
  }
  return nullptr;
}

void manifest(Session& session, const Document& document, KubernetesVersion version,
              const Tree* old) {
  const std::size_t errors = session.sink.error_count();
  check_manifest(document.tree, session.schema_sources(), version, session.sink, old);
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
  const std::vector<Document> old =
      read_inputs(request.old, session.env, session.sources, session.sink, session.limits,
                  Ambiguity::Kubernetes);
  session.kubernetes = kubernetes_version(request.kubernetes);
  const KubernetesVersion version = target_kubernetes(session, cluster.get());
  Compilation compilation;
  const auto one = [&](const Document& document) {
    ++result.documents;
    if (document.kind == "TrainingJob" && document.api_version.starts_with("trainyard/")) {
      compile(session, document, cluster.get(), request.target, compilation);
    } else {
      manifest(session, document, version, find_old(old, document));
    }
  };
  for_each_document(request.inputs, session.env, session.sources, session.sink, session.limits,
                    Ambiguity::Kubernetes, one);
  return result;
}

}  // namespace trainyard
