#pragma once

#include <set>
#include <string>
#include <vector>

#include "driver/session/inputs.h"

namespace trainyard {

/// Takes the digits of a run out of all names, and its labels away, as `rerun: in-place` would have
/// written the objects. Leaves a job alone of which the input has several runs. Gives the names of
/// the jobs that it did this for.
std::set<std::string> use_plain_names(std::vector<Document>& documents);

}  // namespace trainyard
