#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "driver/build/synced_job.h"
#include "spec/cluster.h"

namespace trainyard {

/// The project that Argo CD comes with, which is not made.
inline constexpr std::string_view kNoProject = "default";

/// Jobs of a team that run one after another.
struct CompanionChain {
  std::string name;
  std::vector<std::string> steps;  // names of jobs
  std::int64_t timeout = 0;        // of a step, in seconds
};

/// A team in the tree of one cluster.
struct CompanionTeam {
  std::string name;
  std::string first_namespace;
  std::string service_account;  // as which Flux applies its manifests; "" for Flux itself
  bool has_jobs = false;        // outside of chains
  bool has_runtimes = false;
  std::vector<SyncedJob> jobs;         // by namespace and name, those of chains, too
  std::vector<CompanionChain> chains;  // whose jobs the cluster has
};

/// API group and kind.
using GroupKind = std::pair<std::string, std::string>;

/// What the tree of one cluster has, for the objects by which a tool syncs it.
struct CompanionInput {
  const JobKinds* kinds = &JobKinds::builtin();
  const GitOps* gitops = nullptr;
  std::string cluster;  // its name
  std::string fleet;
  std::string path;  // of the cluster's folder in the repository; "" for its root
  std::vector<CompanionTeam> teams;
  bool has_platform = false;
  bool has_claims = false;
  std::set<std::string> namespaces;     // of all teams and objects
  std::set<GroupKind> cluster_kinds;    // of objects outside of namespaces
  std::set<GroupKind> namespace_kinds;  // of the others
};

/// A file of the folder `gitops/` of a cluster.
struct Companion {
  std::string name;  // without `.yaml`
  std::string text;  // documents, each below `---`
};

/// An AppProject, unless the project is `default`; an ApplicationSet with an Application for the
/// jobs of each team; Applications for the platform and for claims that outlive their jobs.
std::vector<Companion> argocd_companions(const CompanionInput& input);

/// The time that a job gets to end, unless a user gives another one.
inline constexpr std::int64_t kEndTime = std::int64_t{24} * 60 * 60;

/// Whether Flux reads the generated files from an artifact in a registry.
bool is_artifact(const GitOps& gitops);

/// A Kustomization for each unit of the tree, and their source if the Cluster names a repository. A
/// ResourceSet of the Flux Operator for each chain, with a Kustomization in each step.
std::vector<Companion> flux_companions(const CompanionInput& input);

/// Those of the tool that the Cluster names.
std::vector<Companion> companions(const CompanionInput& input);

}  // namespace trainyard
