#pragma once

#include <set>
#include <string>
#include <vector>

#include "driver/session/inputs.h"

namespace trainyard {

/// Takes the digits of a run out of all names, and its labels away, as `rerun: in-place` would have
/// written the objects. If the input has several runs of one job, these stay as they are. Returns
/// the names of the other jobs.
std::set<std::string> use_plain_names(std::vector<Document>& documents);

}  // namespace trainyard
