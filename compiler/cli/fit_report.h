#pragma once

#include <string>
#include <vector>

#include "driver/doctor/doctor.h"

namespace trainyard {

/// Where jobs would go, for people.
std::string fits_text(const std::vector<JobFit>& jobs);
/// `"jobs": [...]` of the JSON document.
std::string fits_json(const std::vector<JobFit>& jobs);

}  // namespace trainyard
