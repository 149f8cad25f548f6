#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/api_error.h"
#include "cluster/api/discovery.h"
#include "cluster/http/transport.h"
#include "cluster/json_document.h"
#include "diagnosis/cluster_dump.h"
#include "driver/diagnose/read_dump.h"
#include "driver/session/env.h"
#include "kind/job_kind.h"

namespace trainyard {

/// A job as a person names it.
struct JobName {
  std::string kind;        // "" for any
  std::string name;        // "" for all jobs of the namespace
  std::string name_space;  // "" for that of the context
};

/// `Kind/name`, a name, or the path of a spec, whose name and namespace count.
/// Nothing, with `problem` set, for a file that holds no job or more than one.
std::optional<JobName> read_job_name(const std::string& word, const JobKinds& kinds, Env& env,
                                     std::string& problem);

/// Whether such a word is the path of a spec or manifest.
bool names_a_file(const std::string& word);

/// A job that is there.
struct LiveJob {
  const JobKinds* kinds = nullptr;  // all that are known
  const JobKind* kind = nullptr;
  const ApiResource* resource = nullptr;
  View object;
  std::vector<const ApiResource*> tellers = {};  // of what tells its phase, if its status does not

  std::string_view name() const;
  std::string_view name_space() const;
  std::string_view uid() const;
  /// `Job/llama`
  std::string heading() const;
};

/// Jobs of one namespace, and on request what is around them.
struct LiveJobs {
  std::vector<LiveJob> jobs;  // that no other job has made
  ClusterDump dump;
  std::vector<std::string> notes;   // what may not be read
  std::optional<ApiError> error;    // then the jobs are not all
  std::optional<ApiError> refused;  // a kind of jobs may not be read
  std::vector<JsonAnswer> answers;
};

enum class Around {
  Nothing,
  Everything,  // pods, events, claims, nodes, and what holds the jobs for a queue
};
LiveJobs look_for_jobs(Transport& transport, const Discovery& discovery, const JobKinds& kinds,
                       const std::string& name_space, const JobName& name, Around around);

}  // namespace trainyard
