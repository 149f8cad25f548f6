#pragma once

#include <string>
#include <vector>

#include "driver/discover/discovered_pools.h"
#include "driver/survey/survey.h"

namespace trainyard {

/// What is known of the way to the cluster; "" for nothing.
struct DiscoveredFrom {
  std::string name;     // of the Cluster; "" for that of a label, or of the context
  std::string context;  // of the kubeconfig
  std::string server;
};

/// A Cluster document of what a cluster has. The same answers give the same bytes, whatever their
/// order. A comment on each line says where it comes from; others say what is left to the reader.
std::string discovered_document(const Survey& survey, const std::vector<KnownMachine>& machines,
                                const DiscoveredFrom& from);

/// The machines of a session's catalogues.
std::vector<KnownMachine> known_machines(Session& session);

/// A name for a Cluster: what a file name and a label may hold, of whatever a context is called.
std::string name_for_cluster(std::string_view context);

}  // namespace trainyard
