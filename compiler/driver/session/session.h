#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/objects.h"
#include "diag/sink.h"
#include "driver/session/document_library.h"
#include "driver/session/env.h"
#include "driver/session/inputs.h"
#include "driver/session/layer_files.h"
#include "driver/session/lock_files.h"
#include "driver/session/machine_library.h"
#include "driver/session/policies.h"
#include "driver/session/read_root.h"
#include "driver/session/template_store.h"
#include "kind/job_kind.h"
#include "manifest/inventory.h"
#include "manifest/kubernetes_version.h"
#include "rules/rule_context.h"
#include "schema/pack.h"
#include "schema/schema_check.h"
#include "source/source_map.h"
#include "spec/cluster.h"
#include "target/object_set.h"
#include "target/target_pack.h"
#include "tree/yaml_reader.h"

namespace trainyard {

/// The compiler's version, `0.1.0`.
std::string_view version();

/// What the user asks of checks.
struct AskedCheck {
  std::string selector;
  SeverityOverride choice = {};
  std::string word;       // as it is written
  Span selector_at = {};  // unknown on the command line
  Span word_at = {};
  std::size_t round = 0;  // later rounds count before earlier ones
  bool is_known = false;  // it selects checks
};

/// Schemas that the user adds to those in the program.
struct UserSchemas {
  std::string image;
  SchemaPack pack;
  std::unique_ptr<Checker> checker;
};

/// Kinds of jobs that the user adds to those in the program.
struct UserKinds {
  UserKinds(Tree read, const JobKinds& behind) : file(std::move(read)), kinds(file, behind) {}
  UserKinds(const UserKinds&) = delete;

  Tree file;
  JobKinds kinds;
};

/// What serves all the jobs of one run: sources, templates, catalogues, schemas. Everything in it
/// is filled when it is first needed and not changed afterwards.
struct Session : KnownTargets {
  explicit Session(Env& world);
  Session(const Session&) = delete;
  ~Session();

  Env& env;
  Sink sink;
  SourceMap sources;
  ReadLimits limits;
  TemplateStore templates;
  TargetLibrary targets;
  MachineLibrary machines;
  const SchemaPack& schemas;
  Checker checker;
  FabricLibrary fabrics;
  TransferLibrary transfers;
  std::optional<CheckSelection> checks;         // of the run's versions; see surroundings_of
  std::optional<CheckSelection> launch_checks;  // the same for jobs with launch lines of their own
  std::optional<KubernetesVersion> kubernetes;  // asked for; else the Cluster's, or the newest
  std::unique_ptr<UserSchemas> user_schemas;    // null when there are none
  std::unique_ptr<UserSchemas> input_schemas;   // of the CRDs among the inputs; null without any
  std::vector<AskedCheck> asked_checks;         // by `--checks` and a config
  Severities severities;                        // what comes of that
  Policies policies;
  std::vector<std::shared_ptr<const Tree>> policy_files;  // whose texts findings show
  ReadRoots roots;    // below which the files lie that documents name
  LayerFiles layers;  // what specs extend, and the overlays of the run
  Locks locks;        // digests of images

  /// Those of the inputs, the user's schemas, then those in the program.
  std::vector<SchemaSource> schema_sources();
  const std::vector<const TargetFacts*>& all_targets() override;

  /// Takes the file `kinds.yaml` of the template directories, if they have one, and reports what is
  /// wrong with it.
  void load_kinds();
  /// The user's kinds of jobs, and those of the program.
  const JobKinds& job_kinds() const;

  /// Takes other policies, in place of those from before.
  void use(Policies others);
  /// Checks are picked anew.
  void forget_selections();

  /// A session with the same settings for another thread, which shares the texts that this one has
  /// read. Its sink takes warnings for what they are.
  std::unique_ptr<Session> fork() const;

 private:
  std::vector<const TargetFacts*> all_targets_;
  bool targets_listed_ = false;
  std::shared_ptr<const UserKinds> user_kinds_;  // null when there are none
};

/// A Cluster document, checked and decoded.
struct ClusterDocument {
  ClusterDocument();
  ~ClusterDocument();  // in one source: it is large code

  Tree tree;
  Cluster cluster;
  Inventory inventory;  // what it says is there
};

/// The Kubernetes that objects are for; `cluster` may be null.
KubernetesVersion target_kubernetes(const Session& session, const ClusterDocument* cluster);

/// A document that says it is a Cluster, checked and decoded; it loses its tree. Null, with errors
/// in the session's sink, when it is none.
std::unique_ptr<ClusterDocument> take_cluster(Session& session, Document& document);

/// Reads the one Cluster of `path`. Null, with errors in the session's sink, when there is none.
std::unique_ptr<ClusterDocument> read_cluster(Session& session, const std::string& path);

}  // namespace trainyard
