#pragma once

#include <string>
#include <vector>

#include "driver/function/files_in_front.h"
#include "driver/function/resource_list.h"
#include "driver/session/session.h"

namespace trainyard {

/// Puts the items in front of the files of a session, each under its `input`.
void put_in_front(const ResourceList& list, FilesInFront& files);

/// Works on a ResourceList. A function that validates leaves the items alone. Otherwise each
/// TrainingJob, TrainingJobLayer and Cluster gives way to the objects that it makes, unless it is
/// local-config: that one stays, in front of them. What a functionConfig makes comes last. An
/// object that an earlier run has made is replaced.
///
/// Returns the list as text: with `results`, and with the items as they were when there are errors
/// in the session's sink. The items are in front of the session's files.
std::string run_function(Session& session, const ResourceList& list);

}  // namespace trainyard
