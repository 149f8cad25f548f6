#pragma once

#include "driver/session/inputs.h"
#include "driver/session/session.h"
#include "source/origin.h"
#include "target/object_set.h"

namespace trainyard {

/// Gives finished objects the form in which they are written: that in which the API server keeps
/// them, by the schemas of the releases that a Cluster states (null for none), with their fields in
/// order.
void into_written_form(Session& session, const ClusterDocument* cluster, ObjectSet& objects,
                       Origins& origins);

}  // namespace trainyard
