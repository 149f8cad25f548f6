#include "driver/session.h"

#include <utility>

#include "driver/cluster_check.h"
#include "driver/inputs.h"
#include "driver/surroundings.h"
#include "spec/credential_literals.h"
#include "tree/digest.h"

namespace trainyard {

std::string_view version() {
  return TRAINYARD_VERSION;
}

Session::Session(Env& world)
    : env(world),
      targets(templates, sources),
      machines(templates, sources, sink),
      schemas(SchemaPack::builtin()),
      checker(schemas) {}

std::vector<SchemaSource> Session::schema_sources() {
  std::vector<SchemaSource> all;
  for (const auto* own : {&input_schemas, &user_schemas}) {
    if (*own != nullptr) all.push_back({(*own)->pack, *(*own)->checker});
  }
  all.push_back({schemas, checker});
  return all;
}

const std::vector<const TargetFacts*>& Session::all_targets() {
  if (std::exchange(targets_listed_, true)) return all_targets_;
  for (const std::string& name : targets.names()) {
    if (const TargetFacts* facts = targets.facts(name, sink)) all_targets_.push_back(facts);
  }
  return all_targets_;
}

KubernetesVersion target_kubernetes(const Session& session, const ClusterDocument* cluster) {
  if (session.kubernetes) return *session.kubernetes;
  if (cluster == nullptr || !cluster->cluster.spec->kubernetes) return {};
  return kubernetes_version(*cluster->cluster.spec->kubernetes).value_or(KubernetesVersion());
}

std::unique_ptr<ClusterDocument> read_cluster(Session& session, const std::string& path) {
  const std::size_t errors = session.sink.error_count();
  std::vector<Document> documents = read_inputs({path}, session.env, session.sources, session.sink,
                                                session.limits, Ambiguity::Refuse);
  if (session.sink.error_count() != errors) return nullptr;
  Document* found = nullptr;
  for (Document& document : documents) {
    if (document.kind != "Cluster") continue;
    if (found != nullptr) {
      session.sink.report(DiagnosticKind::NotACluster, document.root()->span,
                          "`" + path + "` holds more than one Cluster");
      return nullptr;
    }
    found = &document;
  }
  if (found == nullptr) {
    session.sink.report(DiagnosticKind::NotACluster, {},
                        "`" + path + "` holds no document of kind `Cluster`");
    return nullptr;
  }
  const SchemaKind* kind = session.schemas.find("trainyard/v1alpha1", "Cluster");
  report(session.checker.check(kind->schema, found->tree, found->tree.root()), found->tree, {},
         session.sink);
  refuse_credentials(found->tree, found->tree.root(), session.sink);
  if (session.sink.error_count() != errors) return nullptr;

  auto result = std::make_unique<ClusterDocument>();
  result->tree = std::move(found->tree);
  result->cluster = decode_cluster(result->tree, result->tree.root(), session.sink);
  check_cluster(session, result->cluster);
  if (session.sink.error_count() != errors) return nullptr;
  Sha256 hash;
  hash_tree(hash, result->tree, result->tree.root());
  result->digest = hash.finish_hex();
  state_cluster(result->cluster, result->inventory);
  return result;
}

}  // namespace trainyard
