#pragma once

#include <string>
#include <vector>

#include "cluster/api/access.h"

namespace trainyard {

/// What the commands of this program do in the namespace of a job.
std::vector<Right> rights_in(const std::string& name_space);

}  // namespace trainyard
