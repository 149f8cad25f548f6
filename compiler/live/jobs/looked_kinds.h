#pragma once

#include <vector>

#include "cluster/api/discovery.h"
#include "live/jobs/live_jobs.h"

namespace trainyard {

// Which kinds of objects show jobs. A kind that the cluster does not have is left out.

using LookedKinds = std::vector<const ApiResource*>;

/// The kinds of jobs that the name allows.
LookedKinds job_kinds(const JobKinds& kinds, const Discovery& discovery, const JobName& name);

/// What tells more of these jobs: pods, events, nodes, what they make to make pods, and what holds
/// them for a queue; `known` is left out. Claims matter only where a pod waits: see claim_kind.
LookedKinds kinds_around(const JobKinds& kinds, const Discovery& discovery,
                         const std::vector<View>& jobs, const LookedKinds& known);
LookedKinds claim_kind(const Discovery& discovery);

/// What a job of a kind makes, if its own status does not tell its phase.
LookedKinds tellers_of(const Discovery& discovery, const JobKind& kind);

/// The jobs of a dump that the name means.
std::vector<LiveJob> jobs_named(const ClusterDump& dump, const Discovery& discovery,
                                const JobName& name);

}  // namespace trainyard
