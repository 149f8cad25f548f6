#pragma once

#include "check/precedents.h"
#include "driver/inputs.h"
#include "driver/session.h"
#include "emit/mould.h"
#include "plan/plan.h"
#include "source/origin.h"
#include "target/object_set.h"

namespace trainyard {

/// What one spec was compiled to, and why. Reused from job to job, so that its memory is, too.
struct Compilation {
  Origins origins;
  TrainingJob job;
  std::vector<LoadedFile> files;
  Plan plan;
  ObjectSet objects;
  // What jobs so far have in common with those that come.
  Mould mould;
  Precedents precedents;

  /// Forgets the job alone.
  void clear();
};

/// Whether a document is small enough for one job; otherwise that is reported. What works on larger
/// ones must not search lists one by one.
bool has_sensible_size(Session& session, const Tree& document);

/// One TrainingJob to checked Kubernetes objects, in the order and form in which they are written.
/// `target` overrides the spec's; "" leaves it alone. False, with errors in the session's sink,
/// when the job is wrong; what `out` then holds means nothing.
bool compile(Session& session, const Document& document, const ClusterDocument* cluster,
             std::string_view target, Compilation& out);

}  // namespace trainyard
