#pragma once

#include <string>
#include <vector>

#include "cluster/api/discovery.h"
#include "cluster/http/transport.h"
#include "live/apply/cluster_plan.h"
#include "live/apply/wanted.h"

namespace trainyard {

/// Asks the cluster about all objects at once: what is there, and what it would say to ours. Writes
/// nothing. The results are in the order of the objects. `name_space` is that of the context, for
/// objects that name none; `force` takes over fields of other managers.
///
/// An `error` is one of the connection, of the login, or of a server or webhook that cannot answer
/// now: then the results mean nothing.
struct Observation {
  std::vector<Observed> objects;
  std::optional<ApiError> error;
};
Observation observe(Transport& transport, const Discovery& discovery,
                    const std::vector<const WantedObject*>& objects, const std::string& name_space,
                    bool force);

}  // namespace trainyard
