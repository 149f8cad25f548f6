#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/diagnose.h"
#include "diagnosis/job_status.h"

namespace trainyard {

/// A job as one JSON object, without secrets; `finding` is the first of its diagnosis, null for
/// none.
std::string json_of(const JobStatus& status, const Finding* finding);

/// The JSON Schema (draft 7) of what `status --output json` prints.
std::string_view job_status_schema();

}  // namespace trainyard
