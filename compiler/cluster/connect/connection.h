#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/connect/identity.h"
#include "cluster/connect/local_machine.h"
#include "diag/sink.h"
#include "source/source_map.h"

namespace trainyard {

/// Where an API server is, and how its certificate is checked.
struct Endpoint {
  std::string server;           // https://host:port, with a path where the kubeconfig has one
  std::string authorities;      // PEM of the CA; "" for those of the system
  bool skips_checks = false;    // insecure-skip-tls-verify
  std::string tls_server_name;  // the name that the certificate must have; "" for the host
  std::string proxy;            // http, https or socks5; "" for that of the environment
  bool compress = true;
  // What messages tell people to check.
  std::string names_server = "`server` of the kubeconfig";
  std::string names_authorities = "`certificate-authority` of the kubeconfig";
};

/// The user as whom the requests act, by headers `Impersonate-*`.
struct Impersonation {
  std::string user = {};
  std::string uid;
  std::vector<std::string> groups;
  std::vector<std::pair<std::string, std::string>> extra;
};

/// Everything that requests to one cluster need.
struct Connection {
  std::string context = {};  // its name in the kubeconfig; "" for the account of a pod
  std::string name_space = "default";
  Endpoint endpoint;
  Impersonation impersonation;
  std::unique_ptr<IdentitySource> identity;
};

/// What the command line says of a connection; "" for what the kubeconfig says.
struct ConnectionRequest {
  std::string kubeconfig = {};  // the only file to read
  std::string context = {};
  std::string cluster = {};  // an entry of `clusters`
  std::string user = {};     // an entry of `users`
  std::string name_space = {};
  std::string as = {};
  std::vector<std::string> as_groups = {};
};

/// The connection that kubectl would use: of `--kubeconfig`, else of the files in KUBECONFIG, else
/// of ~/.kube/config, else of the service account of the pod in which the program runs.
///
/// Nothing, and every mistake in `sink` at once, when there is none. `sources` gets the texts of
/// the files; `wipe_kubeconfigs` clears them once diagnostics are printed.
std::optional<Connection> find_connection(const ConnectionRequest& request, LocalMachine& machine,
                                          SourceMap& sources, Sink& sink);
/// Zeroes the texts of all files: nothing leads into them any more.
void wipe_kubeconfigs(SourceMap& sources);

}  // namespace trainyard
