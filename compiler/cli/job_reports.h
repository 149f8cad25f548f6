#pragma once

#include <string>

#include "cli/command.h"
#include "driver/diagnose/diagnose_dump.h"

namespace trainyard {

// What `status` and `diagnose` print of jobs, be they of a dump or of a cluster.

struct StatusReport {
  std::string newest;              // from which ages count; RFC 3339
  bool is_newest_of_dump = false;  // which is shown then
  bool one_job = false;            // all of it, not a line
  bool one_namespace = false;      // no column for namespaces
  std::string diagnose;            // the call that tells more, without the job
};

/// With `one_job` ends with 5 where that has failed, and with 6 where it is not there.
ExitCode report_status(Io& io, Session& session, const DiagnosedDump& dump,
                       const StatusReport& report);
ExitCode report_diagnosis(Io& io, Session& session, const DiagnosedDump& dump, bool one_job);

}  // namespace trainyard
