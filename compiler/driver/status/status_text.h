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
  std::string call;      // the command that tells more of a finding; "" for none
  std::vector<std::string>
      findings;  // the first one of each job: its text or its name; "" for none
};

/// A table with one line a job, for people; `with_namespaces` has their column. `findings` of the
/// context are names, one for each job. Fit for a terminal, without secrets.
std::string table_of(const std::vector<JobStatus>& jobs, const StatusContext& context,
                     bool with_namespaces);

/// All of one job. `findings` of the context has at most one text. Fit for a terminal, without
/// secrets.
std::string text_of(const JobStatus& status, const StatusContext& context);

}  // namespace trainyard
