#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cluster/connect/connection.h"
#include "driver/session/session.h"

namespace trainyard {

/// The API server that a Cluster document is about, as its `spec.api` says.
struct MeantCluster {
  std::string context;  // "" where it is not stated
  std::string server;   // as `context`
  std::string place;    // of what is stated: `cluster.yaml:5:19`
};

/// Nothing where the document does not say.
std::optional<MeantCluster> meant_by(const Cluster& cluster, const SourceMap& sources);

/// The options by which a command finds its Cluster document.
struct ClusterChoice {
  std::string path;    // of `--cluster`; "" for that of the config file
  std::string config;  // of `--config`; "" for the nearest one
  bool no_config = false;
};
/// What the Cluster document of a command means. `inputs` are its specs, by which a config file is
/// found. Errors are in the session's sink.
std::vector<MeantCluster> find_meant(Session& session, const ClusterChoice& choice,
                                     const std::vector<std::string>& inputs);

/// Whether two addresses are of one API server: ports may be left out, and a slash may end them.
bool is_same_server(std::string_view a, std::string_view b);

/// Why a connection does not lead to the cluster that is meant: `context ... is not ...`. "" where
/// it does, and for the account of a pod, which knows no contexts and its own server alone.
/// `is_put_together`: `--kube-cluster` chose another entry than that of the context.
std::string wrong_cluster(const MeantCluster& meant, const Connection& connection,
                          bool is_put_together);

}  // namespace trainyard
