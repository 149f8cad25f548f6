#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "spec/cluster.h"

namespace trainyard {

/// The project that Argo CD comes with, which is not made.
inline constexpr std::string_view kNoProject = "default";

/// A team in the tree of one cluster.
struct CompanionTeam {
  std::string name;
  std::string first_namespace;
  std::string service_account;  // as which Flux applies its manifests; "" for Flux itself
  bool has_jobs = false;
  bool has_runtimes = false;
};

/// API group and kind.
using GroupKind = std::pair<std::string, std::string>;

/// What the tree of one cluster has, for the objects by which a tool syncs it.
struct CompanionInput {
  const GitOps* gitops = nullptr;
  std::string cluster;  // its name
  std::string fleet;
  std::string path;  // of the cluster's folder in the repository
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

/// A Kustomization for each unit of the tree, and their source if the Cluster names a repository.
std::vector<Companion> flux_companions(const CompanionInput& input);

/// Those of the tool that the Cluster names.
std::vector<Companion> companions(const CompanionInput& input);

}  // namespace trainyard
