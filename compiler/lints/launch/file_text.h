#pragma once

#include "check/check_context.h"
#include "manifest/launches.h"

namespace trainyard {

/// Reads the files of a container that ConfigMaps among the inputs hold, as long as all of these
/// live.
FileText file_text(const WorkloadRole& role, View container, CheckContext& context);

}  // namespace trainyard
