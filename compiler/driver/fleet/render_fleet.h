#pragma once

#include <string>

#include "driver/build/build.h"
#include "driver/session/session.h"

namespace trainyard {

struct RenderRequest {
  std::string fleet = "fleet.yaml";  // path of the Fleet document
  std::string only;                  // `CLUSTER` or `CLUSTER/TEAM`; "" for all
  std::string target;                // overrides that of the specs; "" for none
  bool check = false;                // compare with the tree in place of writing
  bool findings = false;             // of a check, with places in the specs
  bool prune = false;                // remove and replace all that has trainyard's header
  bool yes = false;                  // even if most files of a folder go
  unsigned workers = 1;              // threads; 0 for as many as there are cores
};

/// Compiles the specs of a Fleet, each for its cluster and with the overlays and policies of its
/// team, into the tree of the fleet:
///
///   <rendered>/<cluster>/platform/<cluster>.yaml   what the Cluster asks for, if anything
///   <rendered>/<cluster>/claims/<team>/<job>.yaml  claims that outlive their job
///   <rendered>/<cluster>/runtimes/<team>/<job>.yaml  for Flux: runtimes, which come before jobs
///   <rendered>/<cluster>/jobs/<team>/<job>.yaml    the rest of the job
///   <rendered>/<cluster>/chains/<team>/<job>/<job>.yaml  the same, of a job in a chain
///   <rendered>/<cluster>/gitops/*.yaml             objects of Argo CD or Flux that sync the others
///
/// Nothing is written when anything is wrong. A run that renders a part looks at nothing else.
BuildResult render_fleet(Session& session, const RenderRequest& request);

}  // namespace trainyard
