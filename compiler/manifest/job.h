#pragma once

#include <span>
#include <string_view>

#include "tree/tree.h"

namespace trainyard {

/// Where a kind holds the spec of a batch/v1 Job, and what is set on the way to the Job.
struct JobPlace {
  std::string_view group;
  std::string_view kind;
  std::string_view path;
  bool is_job = false;            // the object is the Job
  bool defaults_indexed = false;  // completionMode is Indexed where none is given
  bool sets_counts = false;       // completions and parallelism come later
  bool defaults_restart = false;  // the pods' restartPolicy is OnFailure where none is given
};

std::span<const JobPlace> job_places();

/// The spec of a Job as checks see it.
struct Job {
  View object;  // the Job itself; empty when its name is made by a controller
  View spec;
  const JobPlace* place = nullptr;

  std::string_view completion_mode() const;
  /// The pods' restart policy; "" if the manifest sets none.
  std::string_view restart_policy() const;
};

}  // namespace trainyard
