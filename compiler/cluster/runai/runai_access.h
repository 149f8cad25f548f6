#pragma once

#include <optional>
#include <string>

#include "cluster/connect/connection.h"
#include "cluster/http/transport.h"

namespace trainyard {

/// A connection to a control plane of Run:ai, as the variables of the environment say:
///   RUNAI_CLIENT_ID and RUNAI_CLIENT_SECRET, which are exchanged for a token; else RUNAI_TOKEN,
///   a token that another tool got. RUNAI_CA_FILE, PEM, for a certificate of a private authority.
///
/// The exchange is `POST /api/v1/token` with the grant type client_credentials; a token that comes
/// to its end, or that is refused, is exchanged anew (runai-professional-services/runapy
/// .generator/swagger.json; run-ai/docs docs/developer/rest-auth.md).
///
/// Nothing, with `problem` set, where the address or the credentials cannot be used. `machine` must
/// outlive the connection.
std::optional<Connection> runai_connection(const std::string& url, LocalMachine& machine,
                                           const TransportLimits& limits, std::string& problem);

}  // namespace trainyard
