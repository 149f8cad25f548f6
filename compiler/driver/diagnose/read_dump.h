#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/cluster_dump.h"
#include "driver/session/session.h"

namespace trainyard {

/// Of commands that ask about one job: it has failed; it is not there.
inline constexpr ExitCode kJobFailed{5};
inline constexpr ExitCode kNoSuchJob{6};

struct DumpRequest {
  std::vector<std::string> from;  // what `kubectl get … -o yaml` printed: files, directories, `-`
  std::vector<std::string> logs;  // what `kubectl logs --prefix` printed
  std::string name;               // of the job, `Kind/name`, or a file with a spec; "" for all
  std::string name_space = {};    // "" for all
};

/// A dump that has been read, and the jobs that were asked for.
struct ReadDump {
  std::vector<Document> documents;
  std::deque<std::string> logs;
  ClusterDump dump;
  std::vector<View> jobs;  // by namespace, then by name and kind
  bool lacks_job = false;  // the dump has jobs, and none by the name
};

/// Reports what cannot be read, a job that is there twice, and when no job is what was asked for.
ReadDump read_dump(Session& session, const DumpRequest& request);

/// `Job/llama`
std::string label_of_job(View job);
/// Whether `llama` or `Job/llama` is a name of this job, or of the job that it is a run of.
bool is_called(View job, std::string_view name);

}  // namespace trainyard
