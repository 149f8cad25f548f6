#pragma once

#include <deque>
#include <string>
#include <vector>

#include "diagnosis/diagnose.h"
#include "driver/session/session.h"

namespace trainyard {

struct DumpRequest {
  std::vector<std::string> from;  // what `kubectl get … -o yaml` printed: files, directories, `-`
  std::vector<std::string> logs;  // what `kubectl logs --prefix` printed
  std::string name;               // of the job, or `Kind/name`; "" for all
};

/// A dump that has been read, and what is to be said of its jobs.
struct ReadDump {
  std::vector<Document> documents;
  std::deque<std::string> logs;
  ClusterDump dump;
  std::vector<Diagnosis> jobs;
};

/// Reads a dump and asks all findings of its jobs. Reports what cannot be read, and when no job is
/// in it.
ReadDump diagnose_dump(Session& session, const DumpRequest& request);

/// For people: the job, how far it is, and each finding with whom it is about.
std::string text_of(const Diagnosis& diagnosis);
/// One line for a job.
std::string line_of(const Diagnosis& diagnosis);

}  // namespace trainyard
