#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/diagnose.h"
#include "diagnosis/job_status.h"

namespace trainyard {

/// What the text of a job says beside its status.
struct StatusContext {
  std::string_view now;  // from which ages count; RFC 3339, "" for none
  std::string call;      // the command that tells more of the finding; "" for none
  std::string finding;   // the first one of the job; "" for none
};

/// A table with one line a job, for people; `with_namespaces` has their column. Ages count from
/// `now` (RFC 3339, "" for none). Fit for a terminal, without secrets.
std::string table_of(const std::vector<Diagnosis>& jobs, std::string_view now,
                     bool with_namespaces);

/// All of one job. Fit for a terminal, without secrets.
std::string text_of(const JobStatus& status, const StatusContext& context);

}  // namespace trainyard
