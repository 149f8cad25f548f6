#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cluster/api/api_error.h"
#include "cluster/http/transport.h"

namespace trainyard {

/// Something that a user must be allowed to do.
struct Right {
  std::string verb;        // get, list, watch, create, patch, delete
  std::string group;       // "" for the core
  std::string resource;    // pods, pods/log
  std::string name_space;  // "" for a resource of the whole cluster
};

struct AccessReview {
  std::vector<Right> missing;
  std::optional<ApiError> error;
};

/// Asks the server which of these the user lacks, all at once.
AccessReview review_access(Transport& transport, const std::vector<Right>& rights);
/// The Roles and ClusterRoles that grant these, as YAML, to be given to an administrator.
std::string roles_for(const std::vector<Right>& rights);

/// Who the server takes us for; nothing before Kubernetes 1.28, or where it does not say.
struct ServerFacts {
  std::string version;  // v1.36.0
  std::string user;
  std::vector<std::string> groups;
};
std::optional<ServerFacts> ask_server(Transport& transport, ApiError& error);

}  // namespace trainyard
