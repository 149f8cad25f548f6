#pragma once

#include <memory>

#include "driver/session/inputs.h"
#include "driver/session/session.h"
#include "plan/platform_plan.h"
#include "source/origin.h"
#include "target/object_set.h"

namespace trainyard {

/// What one Cluster was compiled to, and why.
struct PlatformCompilation {
  PlatformCompilation();
  ~PlatformCompilation();  // in one source: it is large code

  std::unique_ptr<ClusterDocument> cluster;
  Origins origins;
  PlatformPlan plan;
  ObjectSet objects;
};

/// One Cluster to the checked Kubernetes objects that its jobs rely on, in the order of creation
/// and the form in which they are written. `document` loses its tree. Null, with errors in the
/// session's sink, when the Cluster is wrong or leaves out what an object needs.
/// `tells_of_nothing` says whether a Cluster that asks for no object gets a note.
std::unique_ptr<PlatformCompilation> compile_platform(Session& session, Document& document,
                                                      bool tells_of_nothing = true);

}  // namespace trainyard
