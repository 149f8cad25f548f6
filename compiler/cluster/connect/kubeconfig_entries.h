#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cluster/connect/connection.h"
#include "cluster/connect/kubeconfig.h"

namespace trainyard {

// The two halves of a context. Each reports all of its mistakes.

/// `clusters[].cluster`.
Endpoint read_endpoint(const KubeconfigEntry& entry, LocalMachine& machine, KubeconfigSink& sink);

/// `users[].user`, without its impersonation. `cluster` is what an exec plugin may ask for. Null
/// where it cannot be used.
std::unique_ptr<IdentitySource> read_user(const KubeconfigEntry& entry, const Endpoint& endpoint,
                                          View cluster, LocalMachine& machine,
                                          KubeconfigSink& sink);
/// `as`, `as-uid`, `as-groups` and `as-user-extra` of a user.
Impersonation read_impersonation(const KubeconfigEntry& entry, KubeconfigSink& sink);

/// The bytes of `key`, a path, or of `key`-data, base64, which counts first; "" where there is
/// neither. They must be PEM with `marker` in it.
std::string read_pem(const KubeconfigEntry& entry, const std::string& key, std::string_view marker,
                     LocalMachine& machine, KubeconfigSink& sink);

}  // namespace trainyard
