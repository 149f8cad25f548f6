#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/session/inputs.h"
#include "driver/session/session.h"
#include "plan/plan.h"
#include "source/origin.h"
#include "target/object_set.h"

namespace trainyard {

/// What one spec was compiled to, and why. Reused from job to job, so that its memory is, too.
struct Compilation {
  Compilation();
  ~Compilation();  // in one source: it is large code

  Origins origins;
  TrainingJob job;
  std::vector<LoadedFile> files;
  Plan plan;
  ObjectSet objects;

  /// Forgets the job alone.
  void clear();
};

/// One TrainingJob to checked Kubernetes objects, in the order and form in which they are written.
/// `target` overrides the spec's; "" leaves it alone. False, with errors in the session's sink,
/// when the job is wrong; what `out` then holds means nothing.
bool compile(Session& session, const Document& document, const ClusterDocument* cluster,
             std::string_view target, Compilation& out);

}  // namespace trainyard
