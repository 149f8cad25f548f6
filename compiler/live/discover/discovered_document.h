#pragma once

#include <string>
#include <vector>

#include "live/discover/discovered_pools.h"
#include "live/survey/survey.h"

namespace trainyard {

/// What is known of the way to the cluster; "" for nothing.
struct DiscoveredFrom {
  std::string name;     // of the Cluster
  std::string context;  // of the kubeconfig
  std::string server;
};

/// A Cluster document of what a cluster has. The same answers give the same bytes, whatever their
/// order. A comment says what is guessed and what is left to its reader.
std::string discovered_document(const Survey& survey, const std::vector<KnownMachine>& machines,
                                const DiscoveredFrom& from);

/// A name for a Cluster: what a file name and a label may hold, of whatever a context is called.
std::string name_for_cluster(std::string_view context);

}  // namespace trainyard
