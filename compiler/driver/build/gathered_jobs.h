#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "driver/build/job_maker.h"
#include "driver/session/inputs.h"
#include "driver/threads/portions.h"
#include "source/spool.h"

namespace trainyard {

/// What is kept of a job until all are made.
struct KeptJob {
  Span place;
  Spool::Piece text;
};

/// Gathers what comes out of all inputs of a run.
class GatheredJobs {
 public:
  GatheredJobs(Session& session, const BuildRequest& request)
      : session_(session), request_(request) {}

  /// What comes next is for another cluster, where names are free again. Null where there is none;
  /// both must outlive what is compiled for them.
  void begin(const ClusterDocument* cluster, const JobUnits* units = nullptr);
  /// Compiles what these files hold, on several threads.
  void compile_files(std::vector<InputPart> files);
  /// Compiles a Cluster; see JobMaker::platform.
  void compile_cluster(Document& document, const std::string& file);

  // All of the run.
  std::vector<KeptOutput> outputs;  // for a directory
  std::set<std::string> sources;    // of these
  Spool spool;                      // the texts of the stream, or of the files
  DefaultReleases releases;         // as Made's
  std::size_t documents = 0;

  // Of the present cluster.
  std::map<std::string, KeptJob> jobs;  // by key, and so in the order of the stream
  ObjectIdentities names;               // of all jobs
  std::vector<SyncedJob> synced;        // of units, in no order

 private:
  bool merge(Made&& made, const FileNumbers& numbers);
  void take(Made&& made);
  void keep(MadeJob&& job);
  void keep_waiting();

  Session& session_;
  const BuildRequest& request_;
  const ClusterDocument* cluster_ = nullptr;
  const JobUnits* units_ = nullptr;
  std::vector<MadeJob> waiting_;  // for their digests
};

}  // namespace trainyard
