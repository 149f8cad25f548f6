#include "driver/session/session.h"

#include <utility>

#include "driver/session/cluster_check.h"
#include "driver/session/config.h"
#include "driver/session/inputs.h"
#include "driver/session/meant_values.h"
#include "driver/session/surroundings.h"
#include "spec/credential_literals.h"

namespace trainyard {

std::string_view version() {
  return TRAINYARD_VERSION;
}

ClusterDocument::ClusterDocument() = default;
ClusterDocument::~ClusterDocument() = default;

Session::~Session() = default;
Session::Session(Env& world)
    : env(world),
      targets(templates, sources),
      machines(templates, sources, sink),
      schemas(SchemaPack::builtin()),
      checker(schemas),
      fabrics(templates, sources, schemas, checker, sink),
      transfers(templates, sources, schemas, checker, sink),
      roots(world) {}

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

void Session::load_kinds() {
  const auto read = templates.find("kinds.yaml");
  if (!read || !templates.text_of(read->name)) return;
  const FileId id = sources.add(std::string(read->name), std::string(read->text));
  std::vector<Tree> trees = read_yaml(sources, id, sink, limits);
  if (trees.empty() || sink.has_errors()) return;
  user_kinds_ = std::make_shared<const UserKinds>(std::move(trees.front()), JobKinds::builtin());
  for (const KindFault& each : user_kinds_->kinds.faults()) {
    sink.report(DiagnosticKind::BadTargetPack, each.at, each.message);
  }
}

const JobKinds& Session::job_kinds() const {
  return user_kinds_ == nullptr ? JobKinds::builtin() : user_kinds_->kinds;
}

namespace {

/// The same schemas for another thread; their image stays where it is.
std::unique_ptr<UserSchemas> share(const std::unique_ptr<UserSchemas>& schemas) {
  if (schemas == nullptr) return nullptr;
  auto shared = std::make_unique<UserSchemas>();
  shared->pack = schemas->pack;
  shared->checker = std::make_unique<Checker>(shared->pack);
  return shared;
}

}  // namespace

void Session::use(Policies others) {
  policies = std::move(others);
  forget_selections();
}

void Session::forget_selections() {
  checks.reset();
  launch_checks.reset();
}

std::unique_ptr<Session> Session::fork() const {
  auto other = std::make_unique<Session>(env);
  for (FileId file = 0; file < sources.size(); ++file) {
    const std::string name(sources.name(file));
    const std::string_view text = sources.text(file);
    sources.is_builtin(file) ? other->sources.add_view(name, text)
                             : other->sources.add_borrowed(name, text);
  }
  other->limits = limits;
  other->templates = templates;
  other->kubernetes = kubernetes;
  other->severities = severities;
  other->policies = policies.copy();
  other->user_kinds_ = user_kinds_;
  other->roots = roots;
  other->user_schemas = share(user_schemas);
  other->input_schemas = share(input_schemas);
  other->layers.overlays = layers.overlays;
  other->locks.settings = locks.settings;
  return other;
}

KubernetesVersion target_kubernetes(const Session& session, const ClusterDocument* cluster) {
  if (session.kubernetes) return *session.kubernetes;
  if (cluster == nullptr || !cluster->cluster.spec->kubernetes) return {};
  return kubernetes_version(*cluster->cluster.spec->kubernetes).value_or(KubernetesVersion());
}

std::unique_ptr<ClusterDocument> take_cluster(Session& session, Document& document) {
  const std::size_t errors = session.sink.error_count();
  const Tree& tree = document.tree;
  const SchemaKind* kind = session.schemas.find("trainyard/v1alpha1", "Cluster");
  std::vector<Violation> violations = session.checker.check(kind->schema, tree, tree.root());
  add_meant_values(violations, tree);
  report(violations, tree, {}, session.sink);
  refuse_credentials(tree, tree.root(), session.sink);
  if (session.sink.error_count() != errors) return nullptr;

  auto result = std::make_unique<ClusterDocument>();
  result->tree = std::move(document.tree);
  result->cluster = decode_cluster(result->tree, result->tree.root(), session.sink);
  check_cluster(session, result->cluster);
  if (session.sink.error_count() != errors) return nullptr;
  state_cluster(result->cluster, result->inventory);
  return result;
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
  auto result = take_cluster(session, *found);
  if (result == nullptr) return nullptr;
  session.policies.load(session, result->cluster, path);
  ask_checks(session);
  if (session.sink.error_count() != errors) return nullptr;
  return result;
}

}  // namespace trainyard
