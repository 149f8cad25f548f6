#pragma once

#include "convert/conversion.h"

namespace trainyard {

/// Reports commands and variables with the host name of a pod in them: controllers name pods each
/// in its own way, and after the roles that a job has there, so that no build could keep the name.
void report_host_names(Conversion& job);

}  // namespace trainyard
