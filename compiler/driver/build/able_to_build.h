#pragma once

#include <cstddef>
#include <string_view>

#include "driver/session/inputs.h"
#include "driver/session/session.h"

namespace trainyard {

/// Rules name the targets that can express a field, and know nothing of the rest of the job or of
/// the Cluster. Of the findings from `first` on, each keeps those targets for which the whole job
/// compiles; where there is none, those that refuse least beside what its own target refuses.
void keep_targets_that_build(Session& session, const Document& document,
                             const ClusterDocument* cluster, std::size_t first);

}  // namespace trainyard
