#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "diagnosis/diagnose.h"
#include "driver/diagnose/finding_lines.h"
#include "driver/diagnose/read_dump.h"
#include "driver/diagnose/spec_edits.h"
#include "driver/session/session.h"

namespace trainyard {

struct DiagnoseRequest {
  DumpRequest dump;
  std::string spec;     // whose lines are named, or an output with its map of causes; "" for none
  std::string cluster;  // for a spec, as in a build
  std::string target;
};

/// A dump that has been read, and what is to be said of its jobs.
struct DiagnosedDump {
  ReadDump read;
  std::vector<Tree> own_findings;  // of `--templates`
  std::unique_ptr<FindingRules> own_rules;
  FindingLines lines;
  SpecEdits edits;
  std::vector<Diagnosis> jobs;
};

/// Reads a dump and asks all findings of its jobs: those of the program, and in front of them those
/// of files `diagnosis/` of the session's template directories. Reports what cannot be read, and
/// when no job is in it.
DiagnosedDump diagnose_dump(Session& session, const DiagnoseRequest& request);
/// The same for a dump that has been read. Of `request`, `dump` is not looked at.
void diagnose_jobs(Session& session, const DiagnoseRequest& request, DiagnosedDump& dump);

/// The line of the spec that a finding is about; nothing where none is known.
std::optional<SpecPlace> spec_place_of(const DiagnosedDump& dump, const Diagnosis& diagnosis,
                                       const Finding& finding);

/// The change of the spec that a finding proposes; nothing where none is known to help.
std::optional<SpecEdit> edit_of(const DiagnosedDump& dump, const Diagnosis& diagnosis,
                                const Finding& finding);

/// For people: the job, how far it is, and each finding with whom it is about. Fit for a terminal.
std::string text_of(const DiagnosedDump& dump, const Diagnosis& diagnosis);
/// One line for a job.
std::string line_of(const Diagnosis& diagnosis);

}  // namespace trainyard
